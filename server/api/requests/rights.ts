import { notFound, Refusal } from '../../schema/errors.ts';
import { roleIn, ROLES, type Role } from '../../store/shared/members.ts';
import type { Store, StoredChatbot, User } from '../../store/store.ts';

/** Who may do what: each operation names one right, and each right of a chatbot the roles that have it. */

const ROLES_WITH = {
  /** To know the chatbot: its name and settings as its visitors meet them, and one's own role. */
  know: ROLES,
  'read conversations': ROLES,
  'change conversations': ['owner', 'editor', 'operator'],
  'read figures': ['owner', 'editor', 'viewer'],
  /** Sources, tags, agents, the widget, and asking as a visitor would: to read and to change them. */
  edit: ['owner', 'editor'],
  /** Members, settings of the chatbot itself, its end. */
  own: ['owner'],
} as const satisfies Record<string, readonly Role[]>;

export type ChatbotRight = keyof typeof ROLES_WITH;

/** `open`: needs no key. `signed in`: any user, of whom it touches nothing but what is the user's own. */
export type Right = 'open' | 'signed in' | ChatbotRight;

export const CHATBOT_RIGHTS = Object.keys(ROLES_WITH) as ChatbotRight[];

/** Who calls, and the right that the operation needs. */
export interface Requester extends User {
  readonly right: Right;
  /** The chatbots that permission was given for, each with the record that it was about, '' for none: what the audit log goes by. */
  readonly reached?: Reached[];
}

interface Reached {
  chatbot: string;
  record: string;
  /** A session that a key has made to test: none but its own words are in it, and no visitor's. */
  isTest?: boolean;
}

export const isRight = (right: unknown): right is Right =>
  right === 'open' || right === 'signed in' || isChatbotRight(right as Right);

export const isChatbotRight = (right: Right): right is ChatbotRight => Object.hasOwn(ROLES_WITH, right);

export const hasRight = (role: Role, right: ChatbotRight): boolean =>
  (ROLES_WITH[right] as readonly Role[]).includes(role);

/** The roles that have the right, as they stand in a sentence. */
export const rolesWith = (right: ChatbotRight): string => ROLES_WITH[right].join(' or ');

/**
 * The chatbot where the requester may do this to it; undefined for a stranger, who is not to learn that it is there. Throws
 * `forbidden` for a member whose role has not the right of the operation. The last argument: what it is about in the chatbot.
 */
export function permitted(
  chatbot: StoredChatbot | undefined,
  { uuid, right, reached }: Requester,
  { record = '', isTest = false }: Partial<Reached> = {},
): StoredChatbot | undefined {
  const role = chatbot && roleIn(chatbot, uuid);
  if (!role) return undefined;
  // An operation of no chatbot has no business with one.
  if (!isChatbotRight(right)) throw new Refusal('internal', `an operation for "${right}" asked for a chatbot`);
  if (!hasRight(role, right))
    throw new Refusal('forbidden', `your role in this chatbot is ${role}: this needs ${rolesWith(right)}`);
  reached?.push({ chatbot: chatbot.uuid, record, isTest });
  return chatbot;
}

/** Whether the requester may do this to the chatbot; as `permitted`. */
export const mayReach = async (
  store: Store,
  requester: Requester,
  chatbot: string,
  about?: Partial<Reached>,
): Promise<boolean> => permitted(await store.chatbot(chatbot), requester, about) !== undefined;

/** Throws `conflict` for a guest: nobody has proved that the address is theirs, so no mail goes there as they like. */
export async function requireProved(store: Store, { uuid, email }: User): Promise<void> {
  const [known] = await store.usersByUuid([uuid]);
  if (known?.invited)
    throw new Refusal(
      'conflict',
      `nobody has proved that your address is yours: ask whoever runs this server for "docent user add ${email}"`,
    );
}

/** The chatbot, for whoever may do this to it. To a stranger it is 404, so that identifiers cannot be probed. */
export async function ownedChatbot(store: Store, requester: Requester, uuid: string): Promise<StoredChatbot> {
  const chatbot = permitted(await store.chatbot(uuid), requester);
  if (!chatbot) throw notFound('chatbot');
  return chatbot;
}
