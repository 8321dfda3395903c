import { me } from '../../account/account.ts';
import { chatbots, loadChatbots } from '../../chatbots.ts';
import { may, roleIn } from '../../account/membership.ts';
import { Confirm } from '../../parts/Confirm.tsx';
import { Failed, Pending } from '../../parts/controls.tsx';
import { Table } from '../../parts/Table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useNext } from '../../leave.ts';
import { useLoad } from '../../parts/use-load.ts';
import { ROLES, type Invitation, type Member, type Role } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { get, post, remove } from '../../wire.ts';
import { ago } from '../../words.ts';
import { Invite, ROLE_WORDS } from './Invite.tsx';

/** Who may use a chatbot, and in which role. */
export function People({ chatbot }: { chatbot: string }) {
  const isOwner = may(chatbot, 'own');
  return (
    <>
      {isOwner && <Members chatbot={chatbot} />}
      <OwnRole chatbot={chatbot} />
    </>
  );
}

function Members({ chatbot }: { chatbot: string }) {
  const at = `/api/v1/chatbot/${chatbot}`;
  const members = useLoad(`members ${chatbot}`, (signal) => get<Member[]>(`${at}/members`, signal));
  const invitations = useLoad(`invitations ${chatbot}`, (signal) => get<Invitation[]>(`${at}/invitations`, signal));
  const { isBusy, failure, run } = useAction();
  const said = useSignal('');
  const change = async (act: () => Promise<unknown>, done: string): Promise<void> => {
    said.value = '';
    if (await run(act)) said.value = done;
    members.reload();
    invitations.reload();
  };
  const setRole = ({ uuid, email }: Member, role: Role): Promise<void> =>
    change(async () => {
      await post(`${at}/member/${uuid}/update`, { role });
      // The own role may have become smaller.
      await loadChatbots();
    }, `${email} is now ${ROLE_WORDS[role].name}.`);
  const expel = ({ uuid, email }: Member): Promise<void> =>
    change(() => remove(`${at}/member/${uuid}/delete`), `${email} is no member any more.`);
  const revoke = ({ uuid, email }: Invitation): Promise<void> =>
    change(() => remove(`${at}/invitation/${uuid}/delete`), `The invitation of ${email} is revoked.`);
  return (
    <>
      <Invite chatbot={chatbot} onInvited={invitations.reload} />
      <section>
        <h2>Members</h2>
        <Pending of={members} what="the members" />
        <Failed failure={failure} />
        <p role="status" class="muted">
          {said.value}
        </p>
        {members.data.value && (
          <Table label="Members" heads={['Member', 'Role', 'Since', '']}>
            {members.data.value.map((one) => (
              <tr key={one.uuid}>
                <th scope="row">
                  {one.email || 'A user who is gone'}{' '}
                  {me().user?.uuid === one.uuid && <span class="badge good">you</span>}
                </th>
                <td>
                  <select
                    aria-label={`Role of ${one.email}`}
                    disabled={isBusy.value}
                    onChange={({ currentTarget: select }) => {
                      const role = select.value as Role;
                      // Until it is so: it may be refused.
                      select.value = one.role;
                      void setRole(one, role);
                    }}
                  >
                    {ROLES.map((role) => (
                      <option key={role} value={role} selected={role === one.role}>
                        {role}
                      </option>
                    ))}
                  </select>
                </td>
                <td>{ago(one.created_at)}</td>
                <td class="end">
                  {me().user?.uuid !== one.uuid && (
                    <Confirm
                      label="Remove"
                      question={`Remove ${one.email}?`}
                      isBusy={isBusy.value}
                      act={() => void expel(one)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </section>
      <section>
        <h2>Open invitations</h2>
        <Pending of={invitations} what="the invitations" />
        {invitations.data.value?.length === 0 && (
          <p class="muted">None. Invite somebody above: you get a link to hand on.</p>
        )}
        <ul class="people">
          {invitations.data.value?.map((one) => (
            <li key={one.uuid}>
              <span>
                <strong>{one.email}</strong> as {ROLE_WORDS[one.role].name}, good until{' '}
                {new Date(one.expires_at).toLocaleDateString('en', { dateStyle: 'medium' })}
              </span>
              <Confirm
                label="Revoke"
                question={`Revoke the invitation of ${one.email}?`}
                isBusy={isBusy.value}
                act={() => void revoke(one)}
              />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function OwnRole({ chatbot }: { chatbot: string }) {
  const next = useNext();
  const { isBusy, failure, run } = useAction();
  const role = roleIn(chatbot);
  const leave = (): Promise<boolean> =>
    run(async () => {
      await post(`/api/v1/chatbot/${chatbot}/leave`);
      chatbots.value = undefined;
      next('/console/');
    });
  return (
    <section>
      <h2>You</h2>
      {role && (
        <p>
          You are {ROLE_WORDS[role].name} of this chatbot: you {ROLE_WORDS[role].may}.
          {role !== 'owner' && ' An owner can change that.'}
        </p>
      )}
      <Failed failure={failure} />
      <Confirm
        label="Leave this chatbot"
        question="An owner has to invite you again. Leave?"
        icon="out"
        isBusy={isBusy.value}
        act={() => void leave()}
      />
    </section>
  );
}
