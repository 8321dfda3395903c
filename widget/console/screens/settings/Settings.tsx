import { me, signOut } from '../../account/account.ts';
import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Failed, Pending } from '../../parts/controls.tsx';
import { Table } from '../../parts/Table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { SignIn } from '../../records.ts';
import { Keys } from './Keys.tsx';
import { Models } from './Models.tsx';
import { Mail } from './Mail.tsx';
import { Passkeys } from './Passkeys.tsx';
import { ago, browserName } from '../../words.ts';
import { get, remove, signInsPath } from '../../wire.ts';

/** Who is signed in, and where. */
export function Settings() {
  const { isBusy, failure, run } = useAction();
  return (
    <>
      <section>
        <h2>You</h2>
        <p>
          Signed in as <strong>{me().user?.name}</strong>.
        </p>
        {me().is_secure === false && (
          <p class="notice">
            This page came over plain HTTP. Anyone on the network between can take over this sign-in; put the server
            behind HTTPS.
          </p>
        )}
        <Failed failure={failure} />
        <Button icon="out" isBusy={isBusy.value} onClick={() => void run(signOut)}>
          Sign out
        </Button>
        <p>
          <a href="/console/settings/audit">Audit log of your account</a>
        </p>
      </section>
      <SignIns />
      <Passkeys />
      <Keys />
      {me().is_operator && <Models />}
      <Mail />
    </>
  );
}

function SignIns() {
  const loading = useLoad('sign-ins', (signal) => get<SignIn[]>(signInsPath, signal));
  const { data, reload } = loading;
  const ending = useAction();
  // One that has ended meanwhile is gone from the list as well.
  const end = ({ uuid }: SignIn): Promise<boolean> =>
    ending.run(() => remove(`${signInsPath}/${uuid}`).finally(reload));
  return (
    <section>
      <h2>Where you are signed in</h2>
      <Pending of={loading} what="your sign-ins" />
      <Failed failure={ending.failure} />
      {data.value && (
        <Table label="Where you are signed in" heads={['Browser', 'Signed in', 'Last used', '']}>
          {data.value.map((one) => (
            <tr key={one.uuid}>
              <th scope="row">
                {browserName(one.user_agent)} {one.is_current && <span class="badge good">this one</span>}
              </th>
              <td>{ago(one.created)}</td>
              <td>{ago(one.last_used)}</td>
              <td class="end">
                {one.is_current ? (
                  <Button onClick={() => void ending.run(signOut)}>Sign out</Button>
                ) : (
                  <Confirm
                    label="End"
                    question={`Sign out ${browserName(one.user_agent)}?`}
                    isBusy={ending.isBusy.value}
                    act={() => void end(one)}
                  />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
