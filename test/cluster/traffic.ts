import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VisitorMessage } from '../../server/types.ts';
import type { SeenRequest, Script } from '../fakes/model.ts';
import { parseEvents, post, textOf, uuidOf, type SeenEvent } from '../proxy/fixture.ts';
import { Ledger } from '../server/damage/ledger.ts';
import type { Cluster } from './cluster.ts';

/** The model's answer to a question is known beforehand. */
const piecesFor = (query: string): string[] => ['The answer to ', ...query.split(/(?<= )/), ' is ', 'this, ', 'whole.'];
export const answerTo = (query: string): string => piecesFor(query).join('');

/** For the fake model: some 50 pieces a second. */
export const answerWhole = ({ body }: SeenRequest): Script => ({
  pieces: piecesFor(body.messages.at(-1)!.content),
  pace: 20,
});

/** Visitors who ask servers of a cluster whatever happens to these, and what they were told. */
export interface Traffic {
  ledger: Ledger;
  /** Answers that were acknowledged so far. */
  acknowledged(): number;
  /** Resolves once no question is under way. */
  end(): Promise<void>;
  /** All that is wrong with what a server has of the conversations, and with what was read of them. */
  faults(): Promise<string[]>;
}

export function startTraffic(cluster: Cluster, chatbot: string, visitors: number): Traffic {
  const ledger = new Ledger();
  const over = new AbortController();
  /** What was read of messages whose streams were cut, by session. */
  const cut = new Map<string, SeenEvent[][]>();
  let turn = 0;

  /** Two questions in one session, each to another server. */
  async function converse(address: string): Promise<void> {
    let session: string | undefined;
    for (let n = 0; n < 2; n++) {
      const server = cluster.servers[(turn += 1) % cluster.servers.length]!;
      const query = `How about ${randomBytes(6).toString('hex')} then`;
      const body = { query, id: randomBytes(16).toString('hex'), ...(session ? { session } : {}) };
      const reply = await post(`${server.base}/chat/${chatbot}/ask`, body, { 'X-Forwarded-For': address });
      let text = '';
      try {
        for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) text += chunk;
      } finally {
        const events = parseEvents(text);
        if (!session && events.some(({ event }) => event === 'session')) session = uuidOf(events, 'session');
        const last = events.at(-1);
        if (session && last?.event === 'done') ledger.recordDone(session, last.data);
        else ledger.cut += 1;
        if (session && events.some(({ event }) => event === 'message'))
          cut.set(session, [...(cut.get(session) ?? []), events]);
      }
      if (!reply.ok || !session) return;
    }
  }

  async function visit(visitor: number): Promise<void> {
    // A server that is away refuses connections, or cuts them.
    while (!over.signal.aborted) await converse(`10.1.0.${visitor}`).catch(() => sleep(50));
  }

  const visits = Array.from({ length: visitors }, (_, n) => visit(n));

  async function faultsOf(session: string): Promise<string[]> {
    const { base } = cluster.servers[(turn += 1) % cluster.servers.length]!;
    const reply = await fetch(`${base}/chat/${chatbot}/session/${session}/messages`);
    if (!reply.ok) return [`session ${session}: ${reply.status}`];
    const listed = (await reply.json()) as VisitorMessage[];
    const doubled = new Set(listed.map(({ query }) => query)).size === listed.length ? [] : [`doubled in ${session}`];
    const read = (cut.get(session) ?? []).flatMap((events) => {
      const stored = listed.find(({ uuid }) => uuid === uuidOf(events, 'message'));
      if (stored?.response.startsWith(textOf(events))) return [];
      return [`read: ${JSON.stringify(events)}, stored: ${JSON.stringify(stored)}`];
    });
    // What a visitor was told by an `error` event is no answer that was acknowledged, as one that was interrupted is none.
    const given = listed.map((one): VisitorMessage => {
      return one.finish_reason === 'error' ? { ...one, finish_reason: 'interrupted' } : one;
    });
    return [...ledger.faultsOf(session, given, answerTo), ...doubled, ...read];
  }

  return {
    ledger,
    acknowledged: () => ledger.done.size,
    async end() {
      over.abort();
      await Promise.all(visits);
    },
    async faults() {
      const found: string[] = [];
      for (const session of new Set([...ledger.sessions, ...cut.keys()])) found.push(...(await faultsOf(session)));
      return found;
    },
  };
}
