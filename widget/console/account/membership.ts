import { signal } from '@preact/signals';
import type { Role } from '../records.ts';
import { get } from '../wire.ts';

export type Right = 'know' | 'read conversations' | 'change conversations' | 'read figures' | 'edit' | 'own';

/** What the user may do in a chatbot. */
export interface Membership {
  chatbot: string;
  role: Role;
  rights: Right[];
  weekly_mail: boolean;
}

/** Those of the user; undefined until they are loaded. */
export const memberships = signal<Membership[] | undefined>();

export async function loadMemberships(signal?: AbortSignal): Promise<void> {
  memberships.value = await get<Membership[]>('/api/v1/memberships', signal);
}

/** Whether to show what needs the right. Until it is known it is shown: most are owners, and the server refuses anyway. */
export function may(chatbot: string, right: Right): boolean {
  const own = memberships.value?.find((one) => one.chatbot === chatbot);
  return own === undefined || own.rights.includes(right);
}
