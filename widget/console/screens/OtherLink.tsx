import { dropLink, otherLink, pendingLink, signInByLink } from '../account/account.ts';
import { Button } from '../parts/controls.tsx';

/** In place of all screens, which stay: whether a link of another user takes the place of whoever is signed in. */
export const OtherLink = () => (
  <main class="sign-in">
    <h1>Sign in by the link?</h1>
    <p role="alert">{otherLink.value}</p>
    <Button kind="primary" onClick={() => void signInByLink(pendingLink.value, true)}>
      Sign in by the link
    </Button>
    <Button onClick={dropLink}>Stay signed in</Button>
  </main>
);
