import { useEffect } from 'preact/hooks';
import { acceptInvitation, dropInvitation, me, pendingInvitation } from '../../account/account.ts';
import { Button, Failed, Pending } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Role } from '../../records.ts';
import { post } from '../../wire.ts';
import { SignIn } from '../SignIn.tsx';
import { ROLE_WORDS } from './Invite.tsx';

interface Invited {
  chatbot: string;
  email: string;
  role: Role;
  needs_sign_in: boolean;
}

/** What the link of an invitation is for, and the button that accepts it. */
export function Accept() {
  const link = pendingInvitation.value;
  const { isBusy, failure, run } = useAction();
  // Anew once somebody has signed in: it may be the user who is invited.
  const user = me().user?.name ?? '';
  const loading = useLoad(`${link} ${user}`, () => post<Invited>('/console/invitation', { link }));
  useEffect(() => {
    document.title = 'Invitation · Docent';
  }, []);
  const invited = loading.data.value;
  return (
    <main class="sign-in">
      <h1>Invitation</h1>
      <Pending of={loading} what="the invitation" />
      {invited && (
        <p>
          {invited.email} is invited to the chatbot <strong>{invited.chatbot}</strong> as{' '}
          {ROLE_WORDS[invited.role].name}, who {ROLE_WORDS[invited.role].may}.
        </p>
      )}
      {invited && user && user !== invited.email && (
        <p class="notice">
          You are signed in as {user}.{' '}
          {invited.needs_sign_in
            ? `Sign out, sign in as ${invited.email} and open the link again.`
            : `Accepting signs you in as ${invited.email}, a new user, in this browser.`}
        </p>
      )}
      {invited && !user && invited.needs_sign_in && (
        <p class="notice">
          {invited.email} has a user on this server already. Sign in as that user here; then you can accept.
        </p>
      )}
      <Failed failure={failure} />
      {invited && !invited.needs_sign_in && (
        <Button kind="primary" isBusy={isBusy.value} onClick={() => void run(() => acceptInvitation(link))}>
          Accept
        </Button>
      )}
      <Button onClick={dropInvitation}>{user ? 'Go to your chatbots' : 'Sign in without it'}</Button>
      {invited?.needs_sign_in && !user && <SignIn isPart />}
    </main>
  );
}
