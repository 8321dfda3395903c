import { signInWith } from './account.ts';

/** Why no passkey can be used on this page; '' where one can. */
export function passkeyFault(): string {
  const { hostname } = location;
  if (/^[\d.]+$|^\[/.test(hostname))
    return `Browsers keep no passkeys for an IP address: open the console by a host name, ${/^127|::1/.test(hostname) ? 'such as localhost' : 'over HTTPS'}.`;
  if (!isSecureContext) return 'Browsers keep passkeys over HTTPS alone.';
  return 'PublicKeyCredential' in window ? '' : 'This browser knows no passkeys.';
}

/** Rejects with an error that says what was wrong. */
export async function signInByPasskey(): Promise<void> {
  const { getPasskey } = await import('./webauthn.ts');
  await signInWith({ passkey: await getPasskey() });
}
