import { chatbots, loadChatbots } from '../../chatbots.ts';
import { Button, Failed, Field, Pending } from '../../parts/controls.tsx';
import { sent, typed } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useChanges } from '../../parts/use-changes.ts';
import { useNext } from '../../leave.ts';
import { useLoad } from '../../parts/use-load.ts';
import { useWrong } from '../../parts/use-wrong.ts';
import type { Chatbot } from '../../records.ts';
import { Failure, get, post, remove } from '../../wire.ts';

const VISIBILITY: Record<Chatbot['meta']['visibility'], string> = {
  public: 'Public: whoever has its address can ask it',
  hybrid: 'Hybrid: visitors of your pages can ask it',
  private: 'Private: it answers no visitor',
};

/** The two numbers of a rate limit, each with the most that it may be. */
const RATE_FIELDS = [
  ['messages', 100],
  ['seconds', 360],
] as const;

/** The settings of a chatbot itself, and its end. */
export function General({ chatbot }: { chatbot: string }) {
  const loading = useLoad(`general ${chatbot}`, (signal) =>
    Promise.all([
      get<Chatbot>(`/api/v1/chatbot/${chatbot}`, signal),
      get<{ keep_days: number }>(`/api/v1/chatbot/${chatbot}/retention`, signal),
    ]),
  );
  const [record, retention] = loading.data.value ?? [];
  return (
    <>
      <Pending of={loading} what="the settings" />
      {record && retention && (
        <>
          <Change record={record} keepDays={retention.keep_days} onChanged={loading.reload} />
          <Export uuid={chatbot} />
          <section>
            <h2>Audit log</h2>
            <a href={`/console/chatbot/${chatbot}/general/audit`}>Who changed what, and who read conversations</a>
          </section>
          <Danger record={record} />
        </>
      )}
    </>
  );
}

function Change({ record, keepDays, onChanged }: { record: Chatbot; keepDays: number; onChanged: () => void }) {
  const { isBusy, failure, failureOf, isSaved, run } = useWrong();
  const { rate_limit: limit } = record.meta;
  const { form, changes, save } = useChanges((data) => {
    const number = (name: string): unknown => typed('', String(data.get(name)));
    const { messages: _, seconds: __, ...texts } = Object.fromEntries(data);
    return { ...texts, keep_days: number('keep_days'), rate_limit: [number('messages'), number('seconds')] };
  });
  const send = async (): Promise<void> => {
    const { rate_limit = limit } = changes() as Partial<Chatbot['meta']>;
    // The server names one field for both.
    for (const [at, [field, most]] of RATE_FIELDS.entries())
      if (!(Number.isInteger(rate_limit[at]) && rate_limit[at]! >= 1 && rate_limit[at]! <= most))
        throw new Failure(`Must be a whole number from 1 to ${most}`, 422, { field });
    await post(`/api/v1/chatbot/${record.uuid}/update`, changes());
    await loadChatbots();
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (await run(() => save(send), form.current!)) onChanged();
  };
  return (
    <section>
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Field label="Name" name="name" value={record.name} failure={failureOf('name')} />
        <Field label="Visibility" name="visibility" value={record.meta.visibility} choices={VISIBILITY} />
        <Field
          label="Days that conversations are kept"
          name="keep_days"
          value={String(keepDays)}
          hint="After their last message. 0 keeps them until they are deleted. What is older is deleted within an hour, and does not come back."
          failure={failureOf('keep_days')}
        />
        <Field
          label="Messages that one visitor may send"
          name="messages"
          value={String(limit[0])}
          failure={failureOf('messages')}
        />
        <Field
          label="In so many seconds"
          name="seconds"
          value={String(limit[1])}
          hint="Who sends more has to wait; programs with a key have no such limit."
          failure={failureOf('seconds')}
        />
        <Field
          label="What whoever has to wait is told"
          name="rate_limit_message"
          value={record.meta.rate_limit_message}
          isRequired={false}
          hint="Empty: “Too many messages”, in the visitor’s language."
          failure={failureOf('rate_limit_message')}
        />
        <Failed failure={failure} />
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Save
        </Button>
        <p role="status">{isSaved.value && 'Saved.'}</p>
      </form>
    </section>
  );
}

const Export = ({ uuid }: { uuid: string }) => (
  <section>
    <h2>Export</h2>
    <p>
      A file with the settings, agents, tags and sources of this chatbot, for <code>docent import</code> on another
      server. Conversations, figures, members, keys and the values of tools’ headers are not in it.
    </p>
    <a class="button" href={`/api/v1/chatbot/${uuid}/export`} download>
      Download the archive
    </a>
  </section>
);

function Danger({ record: { uuid, name } }: { record: Chatbot }) {
  const next = useNext();
  const { isBusy, failure, run } = useAction();
  const submit = sent((text) =>
    run(async () => {
      if (text('name') !== name.trim()) throw new Error(`Type the name as it stands here: ${name}`);
      await remove(`/api/v1/chatbot/${uuid}/delete`);
      chatbots.value = undefined;
      next('/console/');
    }),
  );
  return (
    <section class="danger-zone" aria-labelledby="danger">
      <h2 id="danger">Danger zone</h2>
      <p>
        Deleting this chatbot deletes its sources, agents and conversations, for all members. It stops answering at once
        and cannot be brought back.
      </p>
      <form noValidate onSubmit={submit}>
        <Field label={`Type “${name}” to delete it`} name="name" autocomplete="off" failure={failure.value} />
        <Button kind="danger" type="submit" icon="remove" isBusy={isBusy.value}>
          Delete this chatbot
        </Button>
      </form>
    </section>
  );
}
