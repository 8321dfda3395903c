import { timestamp } from '../../../server/schema/ids.ts';
import type { StoredMessage, StoredSession } from '../../../server/store/store.ts';
import { aMessage, aSession } from '../../store/records.ts';
import { Writer } from '../passages.ts';

export interface Conversation {
  session: StoredSession;
  messages: StoredMessage[];
}

/** In three conversations alone: the oldest, one in the middle, and one of the newest. */
export const RARE = 'zebrafish';
/** In each tenth answer. */
export const COMMON = 'voucher';
export const LABEL = 'complaint';
export const PAGE = 'shop.example/products/7';

const DAYS = 90;
const [QUESTION_WORDS, ANSWER_WORDS] = [9, 60];
const PAGES = 500;

/** Conversations of one to four messages, oldest first, of words as frequent as words are. */
export function* conversations(chatbot: string, agent: string, count: number): Generator<Conversation> {
  const words = wordsOf(new Writer(count));
  const take = (length: number): string => Array.from({ length }, () => words.next().value).join(' ');
  const rare = new Set([0, Math.floor(count / 2), count - 100]);
  for (let at = 0; at < count; at++) {
    const time = Date.now() - DAYS * 86_400_000 * (1 - at / count) - 3_600_000;
    const dated = (more: number) => {
      const stamp = timestamp(() => time + more * 60_000);
      return { created_at: stamp, modified_at: stamp };
    };
    const session = aSession(chatbot, dated(0));
    const messages = Array.from({ length: 1 + (at % 4) }, (_, turn) => {
      const n = at * 7 + turn;
      const outcome = n % 25 === 0 ? 'unknown' : n % 20 === 0 ? 'unsure' : 'answered';
      return aMessage(session.uuid, {
        ...dated(turn),
        query: `${take(QUESTION_WORDS)}${rare.has(at) && turn === 0 ? ` ${RARE}` : ''}`,
        response: `${take(ANSWER_WORDS)}${n % 10 === 0 ? ` ${COMMON}` : ''} [1]`,
        meta_json: JSON.stringify({
          outcome,
          active_agent: { uuid: agent, name: 'General Q&A' },
          page: `shop.example/products/${n % PAGES}`,
        }),
        feedback_json: n % 40 === 0 ? `{"rating":${n % 80 === 0 ? 1 : -1}}` : '{}',
        labels: n % 100 === 0 ? [{ name: LABEL, color: '#aa0000' }] : [],
      });
    });
    yield { session, messages };
  }
}

function* wordsOf(writer: Writer): Generator<string, never> {
  for (;;) yield* writer.page().text.split(/\s+/);
}
