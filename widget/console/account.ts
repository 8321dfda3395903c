import { signal } from '@preact/signals';
import type { Account } from './records.ts';
import { Failure, get, onSignedOut, post, remove, sessionPath } from './wire.ts';

/** Who is signed in: undefined until it is known, `false` for nobody. */
export const account = signal<Account | false | undefined>();

/** Why the sign-in page is shown, where there is more to say. */
export const notice = signal('');

/** The token of a sign-in link; it is taken out of the address, so that no history keeps it. */
function takeLink(): string | undefined {
  const token = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Finds out who is signed in, by the link of the address where it has one. Never rejects. */
export async function start(): Promise<void> {
  onSignedOut(() => {
    if (!account.value) return;
    notice.value = 'You have been signed out. Sign in again to go on.';
    account.value = false;
  });
  const link = takeLink();
  try {
    account.value = link ? await post<Account>(sessionPath, { link }) : await get<Account>(sessionPath);
  } catch (error) {
    // A link that has been used may belong to a browser that is signed in already.
    const known = link ? await get<Account>(sessionPath).catch(() => undefined) : undefined;
    if (!known && (link || !(error instanceof Failure && error.status === 401)))
      notice.value = error instanceof Error ? error.message : String(error);
    account.value = known ?? false;
  }
}

/** Rejects with a `Failure` that says what is wrong with the key. */
export async function signIn(key: string): Promise<void> {
  account.value = await post<Account>(sessionPath, { key });
  notice.value = '';
}

export async function signOut(): Promise<void> {
  await remove(sessionPath);
  notice.value = '';
  account.value = false;
}
