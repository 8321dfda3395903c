import { useEffect } from 'preact/hooks';
import { notice, pendingLink, signInByLink, signInWith } from '../account/account.ts';
import { passkeyFault, signInByPasskey } from '../account/passkeys.ts';
import { Button, Failed, Field } from '../parts/controls.tsx';
import { sent } from '../parts/form.ts';
import { useAction } from '../parts/use-action.ts';

/** By an API key, a passkey, or a link that the server prints. `isPart`: on the page of something else. */
export function SignIn({ isPart = false }: { isPart?: boolean }) {
  const { isBusy, failure, run } = useAction();
  const passkey = useAction();
  const fault = passkeyFault();
  useEffect(() => {
    if (!isPart) document.title = 'Sign in · Docent';
  }, []);
  const [Place, Title] = isPart ? (['section', 'h2'] as const) : (['main', 'h1'] as const);
  const submit = sent((text) => run(() => signInWith({ key: text('key') })));
  return (
    <Place class={isPart ? undefined : 'sign-in'}>
      <Title>Sign in to Docent</Title>
      <div role="status">{notice.value && <p class="notice">{notice.value}</p>}</div>
      {pendingLink.value && <Button onClick={() => void signInByLink(pendingLink.value)}>Try the link again</Button>}
      <form onSubmit={submit}>
        <Field
          label="API key"
          name="key"
          type="password"
          autocomplete="off"
          hint="The server printed it at its first start. It is sent once and not kept in this browser."
          failure={failure.value}
        />
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Sign in
        </Button>
      </form>
      {fault ? (
        <p class="muted">No passkey can be used here. {fault}</p>
      ) : (
        <div>
          <Button icon="key" isBusy={passkey.isBusy.value} onClick={() => void passkey.run(signInByPasskey)}>
            Sign in with a passkey
          </Button>
          <Failed failure={passkey.failure} />
        </div>
      )}
      <p class="muted">
        No key at hand? Run <code>docent login</code> where the server runs: it prints a link that signs you in.
      </p>
      {location.protocol === 'http:' && !/^(?:localhost|127\.|\[::1\])/.test(location.host) && (
        <p class="notice">
          This page came over plain HTTP: the cookie of the sign-in has no “Secure”, and anyone on the network between
          can read it and the key. Put the server behind HTTPS first.
        </p>
      )}
    </Place>
  );
}
