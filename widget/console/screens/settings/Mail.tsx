import { me } from '../../account/account.ts';
import { Button, Failed } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSignal } from '../../signals.ts';
import { post } from '../../wire.ts';

/** Whether the server sends mail, and a mail that shows it. */
export function Mail() {
  const { isBusy, failure, run } = useAction();
  const isSent = useSignal(false);
  const test = (): Promise<boolean> =>
    run(async () => {
      isSent.value = false;
      await post('/api/v1/mail/test');
      isSent.value = true;
    });
  return (
    <section>
      <h2>Mail</h2>
      {me().is_guest ? (
        <p>Nobody has proved that your address is yours: no mail is sent to it.</p>
      ) : me().has_mail ? (
        <>
          <p>The server mails invitations, and figures to those who want them.</p>
          <Button isBusy={isBusy.value} onClick={() => void test()}>
            Send a test mail to me
          </Button>
          <Failed failure={failure} />
          <p role="status">{isSent.value && 'The mail server has taken it: look into your inbox.'}</p>
        </>
      ) : (
        <p>
          The server sends none. Set <code>SMTP_URL</code> and <code>MAIL_FROM</code> where it starts.
        </p>
      )}
    </section>
  );
}
