import { signal } from '@preact/signals';
import { forgetChatbots } from '../chatbots.ts';
import type { Account } from '../records.ts';
import { Failure, get, onSignedOut, otherUser, owner, post, remove, sessionPath } from '../wire.ts';

/** Who is signed in: undefined until it is known, `false` for nobody. */
export const account = signal<Account | false | undefined>();

/** The account of whoever is signed in; without fields for nobody. */
export const me = (): Partial<Account> => account.value || {};

function enter(own: Account): void {
  if (owner.value !== own.user.uuid) forget();
  owner.value = own.user.uuid;
  notice.value = '';
  otherUser.value = '';
  // Of what was shown before: it is not offered at the next sign-out.
  dropLink();
  account.value = own;
}

function forget(): void {
  owner.value = '';
  forgetChatbots();
}

/** Of the server, for pages of other sites: `PUBLIC_URL`, else the one that this page is from. */
export const publicAddress = (): string => me().public_url || location.origin;

/** Why it could not be found out who is signed in; '' where it was. */
export const startFailure = signal('');

/** Why the sign-in page is shown, where there is more to say. */
export const notice = signal('');

/** The token of a link that could not be tried: the server was not reached, or did not take it yet. */
export const pendingLink = signal('');

/** What to ask of the link of `pendingLink` while another user is signed in, or why it failed; '' where nobody has to be asked. */
export const otherLink = signal('');

export function dropLink(): void {
  pendingLink.value = '';
  otherLink.value = '';
}

/** The token of an invitation that is being looked at, '' for none. */
export const pendingInvitation = signal('');

export const dropInvitation = (): void => void (pendingInvitation.value = '');

/** Rejects with a `Failure` that says why not. */
export async function acceptInvitation(link: string): Promise<void> {
  const { chatbot, ...own } = await post<Account & { chatbot: string }>('/console/invitation/accept', { link });
  history.replaceState(null, '', `/console/chatbot/${chatbot}/conversations`);
  forget();
  enter(own);
  dropInvitation();
}

/** As `takeLink`, of an invitation. */
function takeInvitation(): void {
  const token = /^#invitation=([\w.-]+)$/.exec(location.hash)?.[1];
  if (!token) return;
  history.replaceState(null, '', location.pathname + location.search);
  pendingInvitation.value = token;
}

/** The token of a sign-in link; it is taken out of the address. */
function takeLink(): string | undefined {
  const token = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

function leave(why: string): void {
  if (!why) forget();
  notice.value = why;
  account.value = false;
}

/** Finds out who is signed in, by the link of the address where it has one; listens for what changes that. */
export function start(): void {
  onSignedOut(() => account.value && leave('You have been signed out. Sign in again to go on.'));
  // A link that is pasted into an open tab loads nothing anew.
  addEventListener('hashchange', () => {
    takeInvitation();
    const link = takeLink();
    if (link) void signInByLink(link);
  });
  takeInvitation();
  const link = takeLink();
  void (link ? signInByLink(link) : findAccount());
}

/** Never rejects. */
export async function findAccount(): Promise<void> {
  startFailure.value = '';
  try {
    enter(await get<Account>(sessionPath));
  } catch (error) {
    if (isRefused(error)) leave('');
    else startFailure.value = sentenceOf(error);
  }
}

/** Never rejects: what is wrong stands on the sign-in page. `replaces`: whoever is signed in, too, if that is another user. */
export async function signInByLink(link: string, replaces = false): Promise<void> {
  try {
    enter(await post<Account>(sessionPath, { link, replaces }));
  } catch (error) {
    const isOther = error instanceof Failure && error.status === 409;
    // A link that has been used may belong to a browser that is signed in already.
    const known = await get<Account>(sessionPath).catch(() => undefined);
    // The reply may have been lost behind a sign-in that succeeded.
    const isAsked = isOther || (replaces && known?.user.uuid === owner.value);
    if (known) enter(known);
    else leave(sentenceOf(error));
    otherLink.value = known && isAsked ? sentenceOf(error) : '';
    pendingLink.value = isAsked || (!known && !isRefused(error)) ? link : '';
  }
}

/** What was shown is no key, no link and no sign-in, which will not change. */
const isRefused = (error: unknown): boolean => error instanceof Failure && error.status === 401;

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Rejects with a `Failure` that says what is wrong with the key or the passkey. */
export async function signInWith(credentials: { key: string } | { passkey: object }): Promise<void> {
  enter(await post<Account>(sessionPath, credentials));
}

export async function signOut(): Promise<void> {
  await remove(sessionPath);
  leave('');
}
