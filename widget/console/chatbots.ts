import { signal } from '@preact/signals';
import type { Chatbot } from './records.ts';
import { get } from './wire.ts';

/** The user's chatbots, oldest first; undefined until they are loaded. */
export const chatbots = signal<Chatbot[] | undefined>();

export async function loadChatbots(signal?: AbortSignal): Promise<Chatbot[]> {
  return (chatbots.value = await get<Chatbot[]>('/api/v1/chatbots', signal));
}
