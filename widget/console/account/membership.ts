import { signal } from '@preact/signals';
import type { Role } from '../records.ts';
import { get } from '../wire.ts';

export type Right = 'know' | 'read conversations' | 'change conversations' | 'read figures' | 'edit' | 'own';

/** The roles that have a right, in words: of those that not all roles have. */
export const ROLES_WITH: Partial<Record<Right, string>> = {
  'read figures': 'owner, editor or viewer',
  edit: 'owner or editor',
  own: 'owner',
};

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

const inChatbot = (chatbot: string): Membership | undefined =>
  memberships.value?.find((one) => one.chatbot === chatbot);

/** Of the user; undefined until it is known. */
export const roleIn = (chatbot: string): Role | undefined => inChatbot(chatbot)?.role;

/** Whether to show what needs the right. Until it is known it is shown: most are owners, and the server refuses anyway. */
export function may(chatbot: string, right: Right): boolean {
  const own = inChatbot(chatbot);
  return own === undefined || own.rights.includes(right);
}
