import { hasRight } from '../api/requests/rights.ts';
import { isForGood, isOfServer, onOneLine, type Mailer } from '../mail/mailer.ts';
import { daysBefore, mondayOf, type Clock } from '../schema/ids.ts';
import type { SnapshotStore } from '../store/archive/snapshot.ts';
import { FIGURES, type FigureName } from '../store/shared/figures.ts';
import { membersOf, withMailedUntil, type StoredMember } from '../store/shared/members.ts';
import type { Store, StoredChatbot } from '../store/store.ts';
import { startHourly } from './hourly.ts';

interface WeeklyMailDeps {
  store: Store;
  snapshots: Pick<SnapshotStore, 'snapshot'>;
  mailer: Mailer;
  clock: Clock;
  /** Of the console, without a slash at the end. */
  base: string;
  log: { info(fields: object, sentence: string): void; warn(fields: object, sentence: string): void };
}

/** Mails each member who wants it the figures of the week before, from Monday on, UTC. */
export const startWeeklyMail = (deps: WeeklyMailDeps): { close(): Promise<void> } =>
  startHourly((signal) =>
    mailFigures(deps, signal).catch((error: unknown) => deps.log.warn({ err: error }, 'figures could not be mailed')),
  );

/** One look at who is due. Throws where the mail server takes no mail of anybody. */
export async function mailFigures(deps: WeeklyMailDeps, signal: AbortSignal): Promise<void> {
  const { snapshots, clock } = deps;
  const monday = mondayOf(clock());
  const chatbots = await snapshots.snapshot((all) => all.allChatbots(), { skipsUnreadable: true });
  for (const chatbot of chatbots)
    for (const member of membersOf(chatbot).filter((one) => isDue(one, monday))) {
      if (signal.aborted) return;
      await mailTo(deps, chatbot, member, monday);
    }
}

const isDue = ({ role, mailed_until }: StoredMember, monday: string): boolean =>
  mailed_until !== undefined && mailed_until < monday && hasRight(role, 'read figures');

/**
 * A week is marked as mailed before the mail goes, so that no two processes send it; a mail that fails is tried again within the hour, one
 * that is refused for good with the next week. A process that is killed between the two has mailed nothing for that week.
 */
async function mailTo(deps: WeeklyMailDeps, chatbot: StoredChatbot, { user }: StoredMember, monday: string) {
  const { store, mailer, log } = deps;
  let before: string | undefined;
  const changed = await store.updateChatbot(chatbot.uuid, (record) => {
    const member = membersOf(record).find((one) => one.user === user);
    before = member && isDue(member, monday) ? member.mailed_until : undefined;
    return before === undefined ? record : withMailedUntil(record, user, monday);
  });
  if (!changed || before === undefined) return;
  const [known] = await store.usersByUuid([user]);
  // Of a guest nobody has proved the address; those who chose mail before that was asked are among the members still.
  if (!known || known.invited) return;
  try {
    await mailer.send({ to: known.email, isAutomatic: true, ...(await writeMail(deps, changed, monday)) });
    log.info({ chatbot: chatbot.uuid }, 'figures mailed');
  } catch (error) {
    if (isForGood(error))
      return log.warn(
        { err: error, chatbot: chatbot.uuid },
        'figures refused by the mail server, not sent for this week',
      );
    const last = before;
    await store.updateChatbot(chatbot.uuid, (record) =>
      membersOf(record).some((one) => one.user === user && one.mailed_until === monday)
        ? withMailedUntil(record, user, last)
        : record,
    );
    log.warn({ err: error, chatbot: chatbot.uuid }, 'figures not mailed, tried again in an hour');
    // One mail server sends all of them; an address that it refuses keeps none from the others.
    if (isOfServer(error)) throw error;
  }
}

const LABELS: readonly [FigureName, string][] = [
  ['asked', 'Questions'],
  ['answered', 'Answered'],
  ['unsure', 'Not sure'],
  ['unknown', 'Not known'],
  ['handed_over', 'Asked for a person'],
  ['rated_up', 'Rated up'],
  ['rated_down', 'Rated down'],
  ['refused', 'Over the limit'],
];

const LABEL_WIDTH = Math.max(...LABELS.map(([, label]) => label.length));

/** No word of a visitor is in it: it leaves the server. */
async function writeMail({ store, base }: WeeklyMailDeps, { uuid, name }: StoredChatbot, monday: string) {
  const [week, weekBefore] = [
    await sums(store, uuid, daysBefore(monday, 7), daysBefore(monday, 1)),
    await sums(store, uuid, daysBefore(monday, 14), daysBefore(monday, 8)),
  ];
  const line = onOneLine(name);
  const at = `${base}/console/chatbot/${uuid}`;
  const isCounted = (figure: FigureName): boolean => figure !== 'refused' || week.refused + weekBefore.refused > 0;
  const rows = LABELS.filter(([figure]) => isCounted(figure)).map(
    ([figure, label]) =>
      `${label.padEnd(LABEL_WIDTH)}${String(week[figure]).padStart(8)}${`(${weekBefore[figure]})`.padStart(10)}`,
  );
  return {
    subject: `${line}: ${week.asked} questions last week, ${week.unknown} not known`,
    text: `${line}, ${daysBefore(monday, 7)} to ${daysBefore(monday, 1)} (in brackets the week before)

${rows.join('\n')}

All figures: ${at}/today
Write the answers that were missing: ${at}/gaps

You have asked for this mail in the console; end it there, under Today.
`,
  };
}

async function sums(store: Store, chatbot: string, from: string, to: string): Promise<Record<FigureName, number>> {
  const days = (await store.figures(chatbot, from, to)).filter(({ by }) => by === '');
  const sum = (figure: FigureName): number =>
    Math.max(
      0,
      days.reduce((all, one) => all + one[figure], 0),
    );
  return Object.fromEntries(FIGURES.map((figure) => [figure, sum(figure)])) as Record<FigureName, number>;
}
