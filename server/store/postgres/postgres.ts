import { newUuid, type Clock } from '../../schema/ids.ts';
import type { Health } from '../../health/health.ts';
import type { StoreLog } from '../log.ts';
import type { SnapshotStore } from '../archive/snapshot.ts';
import { accountVerbs } from './account-verbs.ts';
import { sharedAnswers } from './shared/answers.ts';
import { creditsOf, recountCredits } from './shared/credits.ts';
import { PostgresBus } from './shared/bus.ts';
import { chatbotVerbs } from './chatbot-verbs.ts';
import { connect, END_TIMEOUT, type ConnectionOptions } from './connection.ts';
import { siteVerbs } from './records/site-verbs.ts';
import { readSnapshot } from './moving/archive.ts';
import { createContext } from './context.ts';
import { countVerbs } from './count-verbs.ts';
import { messageVerbs } from './message-verbs.ts';
import { migrate } from './migrations.ts';
import { Network } from './network.ts';
import { ownerOf } from './owner.ts';
import { DatabaseWatch } from './outage.ts';
import { startCleaning } from './shared/clean.ts';
import { auditVerbs } from './shared/audit.ts';
import { figureVerbs } from './shared/figures.ts';
import { learnersOf } from './shared/learners.ts';
import { passageVersions } from './shared/passages.ts';
import { replyClaimsOf } from './shared/reply-claims.ts';
import { beginProcess, type OwnProcess } from './shared/processes.ts';
import { passkeyVerbs } from './shared/passkey-verbs.ts';
import { signInVerbs } from './shared/sign-in-verbs.ts';
import { explainStart } from './start-faults.ts';
import { sessionVerbs } from './session-verbs.ts';
import { sourceVerbs } from './source-verbs.ts';
import { UnreadableRecords } from './records/unreadable.ts';
import { visitsOf } from './shared/visits.ts';

interface PostgresOptions extends ConnectionOptions {
  clock: Clock;
  /** Silent by default. */
  log?: StoreLog | undefined;
  /** Receives a database that does not answer as a fault. */
  health?: Pick<Health, 'report' | 'clear'> | undefined;
  /** Milliseconds that it waits for the end of an import before it throws; 20 s by default. */
  patience?: number;
}

/** A store over PostgreSQL 15 and later, which several processes may have open. Makes its tables, or brings them up to date. */
export async function openPostgresStore(options: PostgresOptions): Promise<SnapshotStore> {
  const network = new Network(options);
  const watch = new DatabaseWatch(options.health, options.log, network);
  const sql = connect({ ...options, network });
  let own: OwnProcess | undefined;
  try {
    await migrate(sql);
    const uuid = newUuid();
    const process = (own = await beginProcess({ sql, uuid, watch, patience: options.patience }));
    // Not before: an import puts another in its place.
    const owner = await ownerOf(sql, options.clock);
    await recountCredits(sql);
    const cleaning = await startCleaning(sql, watch);
    const bus = await PostgresBus.open(sql, uuid, watch);
    const unreadable = new UnreadableRecords(options.health, options.log, bus);
    const context = createContext({ sql, process: uuid, watch, bus, unreadable });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await context.inFlight.close();
      await bus.close();
      await cleaning.close();
      await process.end().finally(() => sql.end({ timeout: END_TIMEOUT }));
      await watch.close();
    };
    return {
      owner,
      bus,
      passages: passageVersions(context),
      visits: visitsOf(context),
      credits: creditsOf(context, options.log),
      answers: sharedAnswers(context),
      learners: learnersOf(context),
      replyClaims: replyClaimsOf(context),
      ...accountVerbs(context, owner.user.uuid),
      ...signInVerbs(context),
      ...passkeyVerbs(context),
      ...chatbotVerbs(context),
      ...siteVerbs(context),
      ...sourceVerbs(context),
      ...sessionVerbs(context),
      ...messageVerbs(context),
      ...countVerbs(context, options.clock),
      ...figureVerbs(context),
      ...auditVerbs(context),
      snapshot: (act, how) => readSnapshot(context, options.clock, act, how),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await own?.end().catch(() => {});
    await watch.close();
    await sql.end({ timeout: END_TIMEOUT });
    throw explainStart(error);
  }
}
