import { signal } from '@preact/signals';
import { memberships, type Membership } from './account/membership.ts';
import type { Chatbot } from './records.ts';
import { get } from './wire.ts';

/** The user's chatbots, oldest first; undefined until they are loaded. */
export const chatbots = signal<Chatbot[] | undefined>();

export async function loadChatbots(signal?: AbortSignal): Promise<Chatbot[]> {
  const [list, roles] = await Promise.all([
    get<Chatbot[]>('/api/v1/chatbots', signal),
    get<Membership[]>('/api/v1/memberships', signal),
  ]);
  // Of both at once: a screen is drawn once it is known whether there is such a chatbot, too.
  memberships.value = roles;
  return (chatbots.value = list);
}

export function forgetChatbots(): void {
  chatbots.value = undefined;
  memberships.value = undefined;
}
