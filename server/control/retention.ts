import type { AnswerRuns } from '../answer/runs.ts';
import { removeOldSignIns } from '../console/sign-ins.ts';
import { notFound } from '../schema/errors.ts';
import { daysBefore, timestamp, type Clock } from '../schema/ids.ts';
import type { SnapshotStore } from '../store/archive/snapshot.ts';
import type { Store, StoredChatbot } from '../store/store.ts';
import { startHourly } from './hourly.ts';

export interface RetentionDeps {
  store: Store;
  snapshots: Pick<SnapshotStore, 'snapshot'>;
  clock: Clock;
  /** Days that entries of the audit log are kept. */
  auditDays: number;
  log: { info(fields: object, sentence: string): void; error(fields: object, sentence: string): void };
}

/** What a deleted conversation was, without its texts. */
export interface ForgottenSession {
  /** Its chatbot's name; '' where nothing of the conversation could be read. */
  chatbot: string;
  messages: number;
  /** When its first and its last message came, ISO 8601; '' without messages. */
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;

/** Deletes a conversation with all that is stored of it. Throws `not_found` where there is none. */
export async function forgetSession(
  { store, snapshots, runs }: Pick<RetentionDeps, 'store' | 'snapshots'> & { runs: Pick<AnswerRuns, 'stopSession'> },
  uuid: string,
): Promise<ForgottenSession> {
  await runs.stopSession(uuid);
  const read = async (from: Pick<Store, 'session' | 'messages' | 'chatbot'>) => {
    const [session, messages] = [await from.session(uuid), await from.messages(uuid)];
    return { messages, chatbot: session?.chatbot ? await from.chatbot(session.chatbot) : undefined };
  };
  const { messages, chatbot } = await read(store).catch((error: unknown) => {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return snapshots.snapshot(read, { skipsUnreadable: true });
  });
  if (!(await store.deleteSession(uuid))) throw notFound('session');
  const [from = '', to = from] = [messages[0]?.created_at, messages.at(-1)?.created_at];
  return { chatbot: chatbot?.name ?? '', messages: messages.length, from, to };
}

/** Deletes the chatbot's conversations that are older than it keeps them. Resolves with their number. */
export async function deleteExpired(
  { store, clock }: Pick<RetentionDeps, 'store' | 'clock'>,
  { uuid: chatbot, keep_days: days = 0 }: StoredChatbot,
  signal?: AbortSignal,
): Promise<number> {
  if (days === 0) return 0;
  const oldest = timestamp(() => clock() - days * DAY_MS);
  let deleted = 0;
  for await (const sessions of store.sessionTimes(chatbot)) {
    for (const { uuid } of sessions.filter(({ modified_at }) => modified_at < oldest)) {
      if (signal?.aborted) return deleted;
      // Its visitor may have come back since the list was read.
      if (await store.deleteSession(uuid, oldest)) deleted++;
    }
  }
  return deleted;
}

/** Checks all chatbots, sign-ins and the audit log once an hour. */
export const startRetention = (deps: RetentionDeps): { close(): Promise<void> } =>
  startHourly((signal) => check(deps, signal));

async function check(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const failed = (error: unknown): StoredChatbot[] => {
    deps.log.error({ err: error }, 'old conversations could not be deleted');
    return [];
  };
  await removeOldSignIns(deps.store, deps.clock).catch((error: unknown) =>
    deps.log.error({ err: error }, 'sign-ins that have ended could not be removed'),
  );
  const today = timestamp(deps.clock).slice(0, 10);
  await deps.store
    .removeOldAudit(daysBefore(today, deps.auditDays))
    .catch((error: unknown) => deps.log.error({ err: error }, 'old entries of the audit log could not be removed'));
  const chatbots = deps.snapshots.snapshot((all) => all.allChatbots(), { skipsUnreadable: true });
  for (const chatbot of await chatbots.catch(failed)) {
    const deleted = await deleteExpired(deps, chatbot, signal).catch((error: unknown) => failed(error).length);
    if (deleted > 0) deps.log.info({ chatbot: chatbot.uuid, deleted }, 'old conversations deleted');
  }
}
