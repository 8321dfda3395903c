import type { Logger } from 'pino';
import { NO_META, type AnswerResult, type Question } from '../../answer/runs.ts';
import type { Run } from '../../answer/run.ts';
import { createOutage, type Health, type Outage } from '../../health/health.ts';
import { Connections } from '../../outbound/connections.ts';
import { OutboundFailure } from '../../outbound/failures.ts';
import { orAbort } from '../../async/abort.ts';
import type { Clock } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';
import { upstreamFailed, upstreamTooLate } from './errors.ts';
import { createRemoteChatbots } from './remote-chatbots.ts';
import { findMessage, type RemoteMessage } from './remote-records.ts';
import { createRemoteSessions } from './remote-sessions.ts';
import { createRemoteClient, type RemoteClient } from './remote-client.ts';
import type { Upstream } from './upstream.ts';

interface RemoteUpstreamOptions {
  /** The base URL, without /api/v1. */
  url: string;
  apiKey: string;
  store: Store;
  clock: Clock;
  log: Logger;
  health: Health;
  /** Milliseconds, all three. */
  timeouts?: { connect?: number; firstByte?: number; betweenChunks?: number };
  /** Milliseconds for a whole answer; 120,000 by default. */
  answerTimeout?: number;
}

/** Milliseconds: a server may send its reply only when its model has ended. */
const DEFAULT_TIMEOUTS = { firstByte: 60_000, betweenChunks: 60_000 };

/**
 * Answers come from another server with the same interface. Sessions and messages are stored here under ids of their own;
 * each session names the remote one, which is created with the first question.
 */
export function remoteUpstream({ url, apiKey, store, clock, log, health, ...limits }: RemoteUpstreamOptions): Upstream {
  const { timeouts, answerTimeout = 120_000 } = limits;
  const { origin, pathname } = new URL(url);
  const connections = new Connections(origin, { ...DEFAULT_TIMEOUTS, ...timeouts });
  const prefix = pathname.replace(/\/+$/, '');
  const outageOf = (name: string, key: string): Outage => {
    const sentence = (reason: string): string => `${name} fails (${reason}); visitors get errors`;
    return createOutage({ health, clock, log, name, key, sentence });
  };
  // Two outages: that chatbots can be fetched does not show that answers can.
  const answers = outageOf('asking the upstream server', 'upstream:answers');
  const records = outageOf('fetching chatbots from the upstream server', 'upstream:chatbots');
  const remote = createRemoteClient({ connections, prefix, apiKey });
  const client: RemoteClient = {
    ...remote,
    async chatbot(uuid) {
      try {
        const record = await remote.chatbot(uuid);
        note(records);
        return record;
      } catch (error) {
        note(records, error);
        throw error;
      }
    },
  };
  const chatbots = createRemoteChatbots({ client, store, clock, log });
  const sessions = createRemoteSessions({ client, chatbots, store, log });

  function ask(question: Question, run: Run, session: string, signal: AbortSignal): Promise<number> {
    const onText = (piece: string): boolean => {
      run.append(piece);
      return !run.isFull;
    };
    return client.ask(session, question, onText, signal);
  }

  /** Without the record, an answer that was streamed is kept, without citations. */
  async function recordOf(
    question: Question,
    session: string,
    run: Run,
    signal: AbortSignal,
  ): Promise<RemoteMessage | undefined> {
    try {
      return findMessage(await client.messages(session, signal), question.query);
    } catch (error) {
      if (run.stopped || run.length === 0) throw error;
      log.warn({ err: (error as Error).cause ?? error }, 'the record of an answer could not be listed');
      return undefined;
    }
  }

  async function answer(question: Question, run: Run, signal: AbortSignal): Promise<AnswerResult> {
    let session = await orAbort(sessions.idFor(question, run), signal);
    let status = await ask(question, run, session, signal);
    if (status === 404 && run.length === 0 && !run.stopped) {
      session = await orAbort(sessions.idFor(question, run, session), signal);
      status = await ask(question, run, session, signal);
    }
    if (run.isFull) return resultWith('length');
    if (status !== 200) throw upstreamFailed(`the message stream answered ${status}`, `status_${status}`);
    const record = await recordOf(question, session, run, signal);
    if (run.length === 0) run.append(record?.response ?? '');
    return resultOf(question, record);
  }

  /** The creation of a remote session is not aborted: the visitor's next question uses it. */
  async function respond(question: Question, run: Run): Promise<AnswerResult> {
    sessions.begin(question.session.uuid);
    const work = new AbortController();
    const timer = setTimeout(() => work.abort(upstreamTooLate()), answerTimeout);
    run.onStop = () => work.abort(new Error('stopped'));
    if (run.stopped) run.onStop();
    try {
      const result = await answer(question, run, work.signal);
      if (!run.stopped) note(answers, result.refusal);
      await sessions.whenStored(question.session.uuid);
      return result;
    } catch (error) {
      if (run.stopped) return resultWith('stopped');
      note(answers, error);
      throw error;
    } finally {
      clearTimeout(timer);
      void sessions.end(question.session.uuid);
    }
  }

  return {
    chatbot: (id, address) => chatbots.find(id, address),
    respond,
    newSession: { foreign: '' },
    async deleteSession(uuid) {
      await sessions.whenStored(uuid);
      const session = await store.session(uuid).catch((error: unknown) => {
        if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
        log.warn({ err: error }, 'a session of the upstream server was not deleted: its id here cannot be read');
        return undefined;
      });
      if (session?.foreign) await client.deleteSession(session.foreign);
    },
    failure: 'upstream_failed',
    close: () => connections.close(),
  };
}

function note(outage: Outage, error?: unknown): void {
  if (error === undefined) outage.succeeded();
  if (error instanceof OutboundFailure) outage.failed(error.reason, (error.cause as Error | undefined)?.message);
}

const resultWith = (finish_reason: AnswerResult['finish_reason']): AnswerResult => ({
  finish_reason,
  citations: {},
  meta: NO_META,
});

function resultOf({ chatbot }: Question, record: RemoteMessage | undefined): AnswerResult {
  if (!record) return resultWith('stop');
  const { finish_reason, outcome, parts, followUps } = record;
  return {
    ...resultWith(finish_reason),
    citations: chatbot.meta.show_citations ? record.citations : {},
    parts,
    meta: {
      ...NO_META,
      ...(outcome ? { outcome } : {}),
      ...(chatbot.widget?.suggestions?.length === 0 ? {} : followUps),
    },
    ...(finish_reason === 'error' ? { refusal: upstreamFailed('its record says error') } : {}),
  };
}
