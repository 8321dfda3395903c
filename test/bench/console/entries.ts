import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { aChatbot, aMessage, aSession } from '../../store/records.ts';
import { interleaved } from '../store/timing.ts';
import { conversations } from './made-up.ts';
import { rowOf, type Row } from './lists.ts';

const [ROUNDS, TIMES] = [20, 20];

/**
 * What it costs on PostgreSQL to store an answer with the words that a search finds it by. The floor is the same answer as an
 * interrupted one, which is not found; in files nothing is stored for the search with an answer.
 */
export async function measureEntries(url: string): Promise<Row> {
  const store = await openPostgresStore({ url, clock: Date.now });
  try {
    const chatbot = aChatbot(store.owner.user.uuid);
    await store.createChatbot(chatbot, []);
    const made = conversations(chatbot.uuid, '', 2 * ROUNDS * TIMES);
    const save = async (finish_reason: 'stop' | 'interrupted'): Promise<void> => {
      const { messages } = made.next().value!;
      const session = aSession(chatbot.uuid);
      const { query, response, meta_json } = messages[0]!;
      await store.saveMessage(aMessage(session.uuid, { query, response, meta_json, finish_reason }), session);
    };
    const { found, floor } = await interleaved(
      { found: () => save('stop'), floor: () => save('interrupted') },
      ROUNDS,
      TIMES,
    );
    return rowOf('postgres: store an answer, with what it is found by', { median: found!, floor: floor! });
  } finally {
    await store.close();
  }
}
