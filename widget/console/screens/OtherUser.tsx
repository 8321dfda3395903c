import { Button } from '../parts/controls.tsx';
import { otherUser } from '../wire.ts';

/** In place of all screens, which are of the user who was signed in before. */
export const OtherUser = () => (
  <main class="sign-in">
    <h1>Another user is signed in</h1>
    <p role="alert">{otherUser.value}</p>
    <Button kind="primary" onClick={() => location.reload()}>
      Reload
    </Button>
  </main>
);
