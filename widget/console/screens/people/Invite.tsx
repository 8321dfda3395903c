import { Button, Field } from '../../parts/controls.tsx';
import { CopyText, useShownOnce } from '../../parts/copy.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { ROLES, type Invitation, type Role } from '../../records.ts';
import { post } from '../../wire.ts';

export const ROLE_WORDS: Record<Role, { name: string; may: string }> = {
  owner: { name: 'an owner', may: 'may do everything' },
  editor: {
    name: 'an editor',
    may: 'may change sources, agents and the widget, ask, and read and delete conversations',
  },
  operator: { name: 'an operator', may: 'may read and delete conversations' },
  viewer: { name: 'a viewer', may: 'may read conversations and figures' },
};

interface InviteProps {
  chatbot: string;
  onInvited: () => void;
}

/** Makes an invitation and shows its link, which is not shown again. */
export function Invite({ chatbot, onInvited }: InviteProps) {
  const { isBusy, failure, run } = useAction();
  const [made, show] = useShownOnce<Invitation & { link: string; mailed: boolean }>();
  const submit = sent((text, form) =>
    run(async () => {
      show(undefined);
      const path = `/api/v1/chatbot/${chatbot}/invitation/create`;
      show(await post(path, { email: text('email'), role: text('role') }));
      form.reset();
      onInvited();
    }),
  );
  return (
    <section>
      <h2>Invite</h2>
      <form noValidate onSubmit={submit}>
        <Field label="E-mail address" name="email" autocomplete="off" failure={failure.value} />
        <fieldset>
          <legend>Role</legend>
          {ROLES.toReversed().map((role) => (
            <label key={role} class="choice">
              <input type="radio" name="role" value={role} defaultChecked={role === 'viewer'} />
              {role}: {ROLE_WORDS[role].may}
            </label>
          ))}
        </fieldset>
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Make a link
        </Button>
      </form>
      <div role="status">{made && <MadeLink key={made.uuid} {...made} />}</div>
    </section>
  );
}

function MadeLink({ email, link, mailed }: { email: string; link: string; mailed: boolean }) {
  return (
    <div class="notice">
      <p>
        {mailed ? `The link was mailed to ${email}.` : `Send this link to ${email}.`} It is good once and for 7 days,
        and is not shown again. Whoever opens it first becomes the member.
      </p>
      <CopyText label="Link of the invitation" text={link} />
    </div>
  );
}
