import { signal } from '@preact/signals';
import { memberships, type Membership } from './account/membership.ts';
import type { Chatbot } from './records.ts';
import { get } from './wire.ts';

/** The user's chatbots, oldest first; undefined until they are loaded. */
export const chatbots = signal<Chatbot[] | undefined>();

/** How many looks were begun, and which of them was the last to be shown. */
let [begun, shown] = [0, 0];

/** Of the list and the roles each is there where it was loaded; rejects where one was not. */
export async function loadChatbots(signal?: AbortSignal): Promise<void> {
  const own = ++begun;
  const [list, roles] = await Promise.allSettled([
    get<Chatbot[]>('/api/v1/chatbots', signal),
    get<Membership[]>('/api/v1/memberships', signal),
  ]);
  // One that was overtaken has not what was made since.
  if (own > shown) {
    // Of both at once: a screen is drawn once it is known whether there is such a chatbot, too.
    if (roles.status === 'fulfilled') memberships.value = roles.value;
    if (list.status === 'fulfilled') {
      chatbots.value = list.value;
      shown = own;
    }
  }
  for (const one of [list, roles]) if (one.status === 'rejected') throw one.reason;
}

export function forgetChatbots(): void {
  // What is on its way as well.
  shown = begun;
  chatbots.value = undefined;
  memberships.value = undefined;
}
