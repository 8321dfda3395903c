import { expect, it } from 'vitest';
import { newUuid } from '../../../server/schema/ids.ts';
import type { MessageFilter, Store, StoredMessage, StoredSession } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';

/** Numbers from 0 to below 1, the same for each seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  'order Bestellung retour parcel Zürich straße return refund invoice café size größe delivery 返 品 why how where rare7'.split(
    ' ',
  );
const AGENTS = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
const AT_ONCE = 100;
const ROUNDS = 4;

/** Finds by every filter what a plain scan of what was stored finds, with deletions, feedback and restarts between. */
export function plainScan(engine: string, createFixture: () => Promise<StoreFixture>, conversations: number): void {
  const seed = 16;
  it(`${engine}: finds what a plain scan finds in ${conversations} conversations`, { timeout: 300_000 }, async () => {
    const random = randomNumbers(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
    const fixture = await createFixture();
    let store = await fixture.open();
    try {
      const chatbot = aChatbot(store.owner.user.uuid);
      await store.createChatbot(chatbot, []);
      /** By session, in order of creation. */
      const stored = new Map<string, { session: StoredSession; messages: StoredMessage[] }>();
      const text = (): string => Array.from({ length: 2 + below(5) }, () => one(WORDS)).join(' ');
      const aConversation = () => {
        const session = aSession(chatbot.uuid, random() < 0.05 ? { live: { state: 'requested' } } : {});
        const messages = Array.from({ length: 1 + below(3) }, () =>
          aMessage(session.uuid, {
            query: text(),
            response: text(),
            created_at: `2026-0${1 + below(9)}-1${below(9)}T00:00:00Z`,
            meta_json: JSON.stringify({
              outcome: one(['answered', 'answered', 'unsure', 'unknown']),
              active_agent: { uuid: one(AGENTS), name: '' },
              ...(random() < 0.3 ? { page: `shop.example/${one(WORDS)}` } : {}),
            }),
          }),
        );
        return { session, messages };
      };
      for (let round = 0; round < ROUNDS; round++) {
        for (let made = 0; made < conversations / ROUNDS; made += AT_ONCE) {
          const some = Array.from({ length: Math.min(AT_ONCE, conversations / ROUNDS - made) }, aConversation);
          for (const each of some) stored.set(each.session.uuid, each);
          await Promise.all(some.map(({ session, messages }) => store.saveMessage(messages[0]!, session)));
          await Promise.all(some.map(({ messages }) => saveAll(store, messages.slice(1))));
        }
        for (let change = 0; change < 100; change++) {
          const { session, messages } = one([...stored.values()]);
          const message = one(messages);
          if (change % 4 === 0) {
            await store.deleteSession(session.uuid);
            stored.delete(session.uuid);
          } else if (change % 4 === 1 && messages.length > 1) {
            await store.deleteMessage(message.uuid);
            messages.splice(messages.indexOf(message), 1);
          } else {
            const feedback_json = JSON.stringify({ rating: one([1, -1]) });
            const labels = [{ name: one(['bug', 'praise']), color: '#000000' }];
            Object.assign(
              message,
              await store.updateMessage(message.uuid, (now) => ({ ...now, feedback_json, labels })),
            );
          }
        }
        for (let change = 0; change < 20; change++) {
          const each = one([...stored.values()]);
          const { live, ...rest } = each.session;
          each.session = live ? rest : { ...rest, live: { state: 'requested' } };
          await store.updateSession(rest.uuid, () => each.session);
        }
        const scan = [...stored.values()]
          .toReversed()
          .flatMap(({ session, messages }) => messages.toReversed().map((message) => ({ message, session })));
        for (let look = 0; look < 30; look++) {
          const filter = aFilter(one, below);
          const found = await allFound(store, chatbot.uuid, filter);
          expect([filter, found]).toEqual([
            filter,
            scan
              .filter(({ message, session }) => passesPlainly(message, session, filter))
              .map(({ message }) => message.uuid),
          ]);
        }
        expect(await store.findMessages(newUuid(), {}, { limit: 1 })).toEqual({ messages: [], next: '' });
        await store.close();
        store = await fixture.open();
      }
    } finally {
      await store.close();
      await fixture.clear();
    }
  });
}

async function saveAll(store: Store, messages: StoredMessage[]): Promise<void> {
  for (const message of messages) expect(await store.saveMessage(message)).toBe(true);
}

function aFilter(one: <T>(list: readonly T[]) => T, below: (count: number) => number): MessageFilter {
  const word = one(WORDS);
  const kinds: MessageFilter[] = [
    { text: word },
    { text: `${word.slice(0, 3)} ${one(WORDS).toUpperCase()}` },
    { text: word, outcome: one(['unknown', 'unsure']) },
    { rated: one(['up', 'down']) },
    { label: 'bug', text: word },
    { state: 'requested' },
    { state: 'requested', text: word },
    { agent: one(AGENTS), from: '2026-04-12', to: '2026-06-15' },
    { page: word.toUpperCase() },
    {},
  ];
  return kinds[below(kinds.length)]!;
}

async function allFound(store: Store, chatbot: string, filter: MessageFilter): Promise<string[]> {
  const uuids: string[] = [];
  for (let after: string | undefined; ;) {
    const found = await store.findMessages(chatbot, filter, { limit: 1000, after });
    uuids.push(...found!.messages.map(({ uuid }) => uuid));
    if (found!.next === '') return uuids;
    after = found!.next;
  }
}

/** The same as the filter says, written anew and slowly. */
function passesPlainly(
  message: StoredMessage,
  { live }: StoredSession,
  { text, state, outcome, rated, label, agent, page, from, to }: MessageFilter,
): boolean {
  const fold = (words: string): string[] =>
    words.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').split(' ');
  const meta = JSON.parse(message.meta_json) as { outcome: string; active_agent: { uuid: string }; page?: string };
  const { rating } = JSON.parse(message.feedback_json) as { rating?: number };
  const words = fold(`${message.query} ${message.response}`);
  const place = (meta.page ?? '').toLowerCase();
  const day = message.created_at.slice(0, 10);
  return (
    (!text || fold(text).every((start) => words.some((word) => word.startsWith(start)))) &&
    (!state || live?.state === state) &&
    (!outcome || meta.outcome === outcome) &&
    (!rated || rating === (rated === 'up' ? 1 : -1)) &&
    (!label || message.labels.some(({ name }) => name === label)) &&
    (!agent || meta.active_agent.uuid === agent) &&
    (!page || place.includes(page.toLowerCase())) &&
    (!from || day >= from) &&
    (!to || day <= to)
  );
}
