import { Button, Failed, Field, Pending } from '../../parts/controls.tsx';
import { CopyText, useShownOnce } from '../../parts/copy.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { get, post, remove } from '../../wire.ts';
import { Credentials, type Credential } from './Credentials.tsx';

const PATH = '/console/keys';

/** By its first characters its owner knows a key. */
const withHint = ({ hint, ...key }: Credential & { hint: string }): Credential => ({ ...key, note: `${hint}…` });

/** The keys of whoever is signed in. */
export function Keys() {
  const loading = useLoad('keys', (signal) =>
    get<(Credential & { hint: string })[]>(PATH, signal).then((keys) => keys.map(withHint)),
  );
  const { data, reload } = loading;
  const making = useAction();
  const revoking = useAction();
  const [made, show] = useShownOnce<Credential & { key: string }>();
  const submit = sent((text, form) =>
    making.run(async () => {
      show(undefined);
      show(await post(PATH, { name: text('name') }));
      form.reset();
      reload();
    }),
  );
  const revoke = ({ uuid }: Credential): void => {
    void revoking.run(async () => {
      if (made?.uuid === uuid) show(undefined);
      // One that has gone meanwhile is gone from the list as well.
      await remove(`${PATH}/${uuid}`).finally(reload);
    });
  };
  return (
    <section>
      <h2>Keys</h2>
      <p class="muted">For programs that use the API, and to sign in with. A key may do what you may.</p>
      <form noValidate onSubmit={submit}>
        <Field
          label="Name of the new key"
          name="name"
          placeholder="the website"
          autocomplete="off"
          failure={making.failure.value}
        />
        <Button type="submit" icon="add" isBusy={making.isBusy.value}>
          Make a key
        </Button>
      </form>
      <div role="status">
        {made && (
          <div class="notice" key={made.uuid}>
            <p>Copy the key {made.name} now: it is not shown again.</p>
            <CopyText label="The new key" text={made.key} />
          </div>
        )}
      </div>
      <Pending of={loading} what="your keys" />
      <Failed failure={revoking.failure} />
      {data.value?.length === 0 && <p class="muted">You have no key that was made here or by “docent key add”.</p>}
      <Credentials
        label="Keys"
        name="Key"
        rows={data.value ?? []}
        action="Revoke"
        question={({ name }) =>
          `Revoke ${name}? What uses it stops working, and browsers signed in with it are signed out.`
        }
        isBusy={revoking.isBusy.value}
        onRemove={revoke}
      />
    </section>
  );
}
