import { Button, Failed, Field } from '../../parts/controls.tsx';
import { textsOf } from '../../parts/form.ts';
import { useChanges } from '../../parts/use-changes.ts';
import { useWrong } from '../../parts/use-wrong.ts';
import { objectIn } from '../../json.ts';
import type { DataSource } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { post } from '../../wire.ts';

interface Words {
  question: string;
  answer: string;
  reference_source_link: string;
}

/** A question with its answer, changed in place: its tags and its count of citations stay. */
export function EditAnswer({ record, onChanged }: { record: DataSource; onChanged: () => void }) {
  const { question = '', answer = '', reference_source_link = '' } = objectIn<Words>(record.meta_json);
  const { isBusy, failure, failureOf, isSaved, run } = useWrong();
  /** Nothing was sent. */
  const isSame = useSignal(false);
  const { form, changes, save } = useChanges((data) => {
    const text = textsOf(data);
    return Object.fromEntries([...data.keys()].map((name) => [name, text(name)]));
  });
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const changed = changes();
    isSame.value = Object.keys(changed).length === 0;
    const send = () => save(() => post(`/api/v1/data-source/${record.uuid}/update`, changed));
    if ((await run(async () => isSame.value || send(), form.current!)) && !isSame.value) onChanged();
  };
  return (
    <section>
      <h2>Change it</h2>
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Field label="Question" name="question" value={question} failure={failureOf('question')} />
        <Field label="Answer" name="answer" rows={6} value={answer} failure={failureOf('answer')} />
        <Field
          label="Link to a page that says more"
          name="reference_source_link"
          type="url"
          isRequired={false}
          value={reference_source_link}
          failure={failureOf('reference_source_link')}
        />
        <Failed failure={failure} />
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Save
        </Button>
        <p role="status">
          {isSaved.value && (isSame.value ? 'Nothing has changed.' : 'Saved. Visitors get it in a moment.')}
        </p>
      </form>
    </section>
  );
}
