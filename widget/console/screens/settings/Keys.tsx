import { useSignal } from '@preact/signals';
import { Confirm, focusHeading } from '../../parts/Confirm.tsx';
import { Button, Failed, Field, Loading } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { ago } from '../../words.ts';
import { get, post, remove } from '../../wire.ts';
import { CopyText } from '../people/Invite.tsx';

interface Key {
  uuid: string;
  name: string;
  /** Its first characters. */
  hint: string;
  created: string;
  /** '' before its first use. */
  last_used: string;
}

const PATH = '/console/keys';

/** The keys of whoever is signed in. */
export function Keys() {
  const { data, failure, reload } = useLoad('keys', (signal) => get<Key[]>(PATH, signal));
  const making = useAction();
  const revoking = useAction();
  const made = useSignal<(Key & { key: string }) | undefined>(undefined);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    void making.run(async () => {
      made.value = undefined;
      made.value = await post(PATH, { name: String(new FormData(form).get('name')) });
      form.reset();
      reload();
    });
  };
  const revoke = ({ uuid }: Key): void => {
    void revoking
      .run(async () => {
        if (made.value?.uuid === uuid) made.value = undefined;
        // One that has gone meanwhile is gone from the list as well.
        await remove(`${PATH}/${uuid}`).finally(reload);
      })
      .then((isDone) => isDone && focusHeading());
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
        {made.value && (
          <div class="notice" key={made.value.uuid}>
            <p>Copy the key {made.value.name} now: it is not shown again.</p>
            <CopyText label="The new key" text={made.value.key} />
          </div>
        )}
      </div>
      <Failed failure={failure} again={reload} />
      <Failed failure={revoking.failure} />
      {!data.value && !failure.value && <Loading what="your keys" />}
      {data.value?.length === 0 && <p class="muted">You have no key that was made here or by “docent key add”.</p>}
      {data.value && data.value.length > 0 && (
        <div class="scroll" role="region" aria-label="Keys" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Made</th>
                <th scope="col">Last used</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.value.map((one) => (
                <tr key={one.uuid}>
                  <th scope="row">
                    {one.name} <span class="muted">{one.hint}…</span>
                  </th>
                  <td>{ago(one.created)}</td>
                  <td>{one.last_used ? ago(one.last_used) : 'never'}</td>
                  <td class="end">
                    <Confirm
                      label="Revoke"
                      confirmLabel="Revoke"
                      question={`Revoke ${one.name}? What uses it stops working.`}
                      icon="remove"
                      isBusy={revoking.isBusy.value}
                      act={() => revoke(one)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
