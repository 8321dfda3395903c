import { signal } from '@preact/signals';
import { loadMemberships } from './account/membership.ts';
import type { Chatbot } from './records.ts';
import { get } from './wire.ts';

/** The user's chatbots, oldest first; undefined until they are loaded. */
export const chatbots = signal<Chatbot[] | undefined>();

export async function loadChatbots(signal?: AbortSignal): Promise<Chatbot[]> {
  const [list] = await Promise.all([get<Chatbot[]>('/api/v1/chatbots', signal), loadMemberships(signal)]);
  return (chatbots.value = list);
}
