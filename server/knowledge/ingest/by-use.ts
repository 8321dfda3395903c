import { timestamp, type Clock } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';

/** Days of usage that are looked at. */
const DAYS = 31;

/**
 * All chatbots with sources, the last used first; of those used on the same day, or not at all, the one with more messages, then
 * the last changed.
 */
export async function chatbotsByUse(store: Store, clock: Clock): Promise<string[]> {
  const from = timestamp(() => clock() - DAYS * 86_400_000).slice(0, 10);
  const to = timestamp(clock).slice(0, 10);
  const found: { uuid: string; day: string; messages: number; modified_at: string }[] = [];
  for (const user of await store.users()) {
    const usage = byChatbot(await store.usage(user.uuid, from, to));
    for (const { uuid, modified_at } of await store.chatbots(user.uuid)) {
      if ((await store.sourceCount(uuid)) === 0) continue;
      const own = usage.get(uuid) ?? [];
      const day = own.at(-1)?.day ?? '';
      const messages = own.reduce((sum, one) => (one.day === day ? sum + one.messages : sum), 0);
      found.push({ uuid, day, messages, modified_at });
    }
  }
  found.sort(
    (one, other) =>
      compare(other.day, one.day) || other.messages - one.messages || compare(other.modified_at, one.modified_at),
  );
  return found.map(({ uuid }) => uuid);
}

function byChatbot<T extends { chatbot: string }>(usage: T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of usage) {
    const known = found.get(one.chatbot);
    if (known) known.push(one);
    else found.set(one.chatbot, [one]);
  }
  return found;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
