import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { collectedBy, type Values } from '../../agents/variables.ts';
import { nextModifiedAt, type Clock } from '../../schema/ids.ts';
import { objectIn } from '../../schema/json.ts';
import { isObject } from '../../schema/validate.ts';
import type { Store, StoredMessage } from '../../store/store.ts';
import type { BackgroundWork, Finding } from './work.ts';

interface ResultsOptions {
  store: Store;
  clock: Clock;
  log: Logger;
}

/** Labels of a message, and agents that `meta_json.background` tells of. */
const [MAX_LABELS, MAX_NOTES] = [100, 50];
/** Sessions whose values are known by the message that gave them. */
const MAX_SESSIONS = 10_000;

interface Note extends Pick<Finding, 'agent' | 'by' | 'reason'> {
  labels: string[];
}

/**
 * The message with the labels of the findings, and with a note on each agent for key holders in its `meta_json`. Findings
 * that it has already change nothing.
 */
export function withFindings(message: StoredMessage, findings: readonly Finding[]): StoredMessage {
  const found = findings.filter(({ agent }) => agent !== '');
  if (found.length === 0) return message;
  const meta = objectIn(message.meta_json);
  const before: unknown = meta['background'];
  const notes = new Map((Array.isArray(before) ? before.filter(isNote) : []).map((note) => [note.agent, note]));
  for (const { agent, by, labels, reason } of found) {
    notes.set(agent, {
      agent,
      labels: labels.map(({ name }) => name),
      by,
      ...(reason === undefined ? {} : { reason }),
    });
  }
  return {
    ...message,
    labels: withLabels(message, findings),
    meta_json: JSON.stringify({ ...meta, background: [...notes.values()].slice(0, MAX_NOTES) }),
  };
}

const isNote = (value: unknown): value is Note => isObject(value) && typeof value['agent'] === 'string';

function withLabels({ labels }: StoredMessage, findings: readonly Finding[]): StoredMessage['labels'] {
  const all = new Map(labels.map((label) => [label.name, label]));
  for (const label of findings.flatMap((finding) => finding.labels))
    if (!all.has(label.name)) all.set(label.name, label);
  return [...all.values()].slice(0, MAX_LABELS);
}

/** Stores what background tasks find out after the end of an answer. */
export class BackgroundResults<Asked extends { uuid: string; session: { uuid: string } }> {
  readonly #options: ResultsOptions;
  /** By message. */
  readonly #under = new Map<string, { work: BackgroundWork; asked: Asked; stored: Promise<void> }>();
  /** By session, the `order` of the message that gave each variable its value. */
  readonly #given = new LRUCache<string, Map<string, number>>({ max: MAX_SESSIONS });

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  /** To be called once the message, its session and what was taken of `work` are stored. `order` as in `storeVariables`. */
  follow(asked: Asked, work: BackgroundWork, order: number): void {
    const stored = this.#follow(asked, work, order).finally(() => this.#under.delete(asked.uuid));
    this.#under.set(asked.uuid, { work, asked, stored });
  }

  /** The work whose findings are not all stored. */
  get(message: string): BackgroundWork | undefined {
    return this.#under.get(message)?.work;
  }

  /** With the messages. */
  ofSession(session: string): [message: string, work: BackgroundWork][] {
    const own = [...this.#under.values()].filter(({ asked }) => asked.session.uuid === session);
    return own.map(({ asked, work }) => [asked.uuid, work]);
  }

  /** Ends the tasks of these messages, and resolves when nothing more is written. */
  async stopWhere(matches: (asked: Asked) => boolean): Promise<void> {
    const under = [...this.#under.values()].filter(({ asked }) => matches(asked));
    for (const { work } of under) work.stop();
    await Promise.all(under.map(({ stored }) => stored));
  }

  /** Resolves when no task is pending. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#under.values(), ({ stored }) => stored));
  }

  get isIdle(): boolean {
    return this.#under.size === 0;
  }

  /**
   * With the session. Values of a message do not take the place of those of a message with a higher `order`, which came
   * later; where nothing is left, nothing is written.
   */
  async storeVariables(session: string, values: Values, order: number): Promise<void> {
    if (Object.keys(values).length === 0) return;
    const given = this.#given.get(session) ?? new Map<string, number>();
    this.#given.set(session, given);
    const due = Object.entries(values).filter(([name]) => (given.get(name) ?? 0) <= order);
    if (due.length === 0) return;
    for (const [name] of due) given.set(name, order);
    await this.#options.store.updateSession(session, (one) => collectedBy(one, Object.fromEntries(due)));
  }

  async #follow(asked: Asked, work: BackgroundWork, order: number): Promise<void> {
    for (;;) {
      work.markStored();
      const findings = work.take();
      if (findings.length > 0) await this.#store(asked, findings, order, work);
      else if (work.pending === 0) return;
      else await work.next();
    }
  }

  /** Nothing where the message or its session was deleted meanwhile. */
  async #store({ uuid, session }: Asked, findings: Finding[], order: number, work: BackgroundWork): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      const variables = Object.assign({}, ...findings.map((one) => one.variables)) as Values;
      await this.storeVariables(session.uuid, variables, order);
      const isNoted = findings.some(({ agent }) => agent !== '');
      if (!isNoted && !store.answers) return;
      await store.updateMessage(uuid, (message) => ({
        ...withCount(withFindings(message, findings), work, store),
        ...(isNoted ? { modified_at: nextModifiedAt(message.modified_at, clock) } : {}),
      }));
    } catch (error) {
      log.error({ err: error, message: uuid }, 'labels of a message could not be stored');
    }
  }
}

/** The message as it is stored with the findings that were taken: where other processes read it, with the count of what is left. */
export const withCount = (
  message: StoredMessage,
  work: BackgroundWork | undefined,
  { answers }: Store,
): StoredMessage => (work && answers ? { ...message, background_pending_tasks: work.untaken } : message);

/** The message as it is at the moment, where `work` has findings that are not stored yet. */
export const withBackground = (message: StoredMessage, work: BackgroundWork | undefined): StoredMessage =>
  work ? { ...withFindings(message, work.findings), background_pending_tasks: work.unfinished } : message;
