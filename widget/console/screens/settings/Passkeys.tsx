import { Button, Failed, Field, Pending } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { passkeyFault } from '../../account/passkeys.ts';
import { makePasskey, passkeysPath } from '../../account/webauthn.ts';
import { browserName } from '../../words.ts';
import { get, post, remove } from '../../wire.ts';
import { Credentials, type Credential } from './Credentials.tsx';

type Passkey = Credential & { host: string };

/** Of another host name: no use on this one. */
const withHost = ({ host, ...one }: Passkey): Credential => ({ ...one, note: host === location.hostname ? '' : host });

/** The passkeys of whoever is signed in. */
export function Passkeys() {
  const loading = useLoad('passkeys', (signal) => get<Passkey[]>(passkeysPath, signal));
  const { data, reload } = loading;
  const adding = useAction();
  const removing = useAction();
  const fault = passkeyFault();
  const submit = sent((text, form) =>
    adding.run(async () => {
      const name = text('name') || browserName(navigator.userAgent);
      await post(passkeysPath, { name, credential: await makePasskey() });
      form.reset();
      reload();
    }),
  );
  const take = ({ uuid }: Credential): void => {
    void removing.run(() => remove(`${passkeysPath}/${uuid}`).finally(reload));
  };
  return (
    <section>
      <h2>Passkeys</h2>
      <p class="muted">
        Sign in with this device or a security key. A passkey belongs to the host name that it is made on.
      </p>
      {fault ? (
        <p class="notice">{fault}</p>
      ) : (
        <form noValidate onSubmit={submit}>
          <Field
            label="Name of the new passkey"
            name="name"
            isRequired={false}
            placeholder={browserName(navigator.userAgent)}
            autocomplete="off"
            failure={adding.failure.value}
          />
          <Button type="submit" icon="add" isBusy={adding.isBusy.value}>
            Add a passkey
          </Button>
        </form>
      )}
      <Pending of={loading} what="your passkeys" />
      <Failed failure={removing.failure} />
      {data.value?.length === 0 && <p class="muted">You have no passkey.</p>}
      <Credentials
        label="Passkeys"
        name="Passkey"
        rows={(data.value ?? []).map(withHost)}
        action="Remove"
        question={({ name }) => `Remove ${name}? Browsers that it has signed in are signed out.`}
        isBusy={removing.isBusy.value}
        onRemove={take}
      />
    </section>
  );
}
