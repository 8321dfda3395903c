import { dropLink, otherLink, pendingLink, signInByLink } from '../account/account.ts';
import { Button } from '../parts/controls.tsx';
import { useAction } from '../parts/use-action.ts';

/** In place of all screens, which stay: whether a link of another user takes the place of whoever is signed in. */
export function OtherLink() {
  const { isBusy, run } = useAction();
  return (
    <main class="sign-in">
      <h1>Sign in with this link?</h1>
      <p role="alert">{otherLink.value}</p>
      <Button
        kind="primary"
        isBusy={isBusy.value}
        onClick={() => void run(() => signInByLink(pendingLink.value, true))}
      >
        Sign in with this link
      </Button>
      {!isBusy.value && <Button onClick={dropLink}>Stay signed in</Button>}
    </main>
  );
}
