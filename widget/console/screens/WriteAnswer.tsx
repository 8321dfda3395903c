import { useSignal } from '@preact/signals';
import { Button, Failed, Field } from '../parts/controls.tsx';
import { useAction } from '../parts/use-action.ts';
import { post } from '../wire.ts';

interface WriteAnswerProps {
  chatbot: string;
  question: string;
  /** Asks for an address that the answer shows as its source; false by default. */
  hasLink?: boolean;
  /** Told once it is stored, and once that is undone. */
  onWritten?: (isWritten: boolean) => void;
}

/** A better answer to a question, stored as a source of its own: it answers the next visitor who asks. */
export function WriteAnswer({ chatbot, question, hasLink = false, onWritten = () => {} }: WriteAnswerProps) {
  const written = useSignal<string | undefined>(undefined);
  const { isBusy, failure, run } = useAction();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const answer = String(form.get('answer')).trim();
    const link = String(form.get('link') ?? '').trim();
    const body = { question, answer, ...(link && { reference_source_link: link }) };
    void run(async () => {
      const path = `/api/v1/chatbot/${chatbot}/data-source/qa`;
      written.value = (await post<{ uuid: string }>(path, body)).uuid;
      onWritten(true);
    });
  };
  const undo = (): Promise<boolean> =>
    run(async () => {
      await post(`/api/v1/data-source/${written.value}/delete`);
      written.value = undefined;
      onWritten(false);
    });
  if (written.value)
    return (
      <p class="notice" role="status">
        Your answer is live: ask again to see it.{' '}
        <Button isBusy={isBusy.value} onClick={() => void undo()}>
          Undo
        </Button>
        <Failed failure={failure} />
      </p>
    );
  return (
    <details class="add">
      <summary>Write the answer yourself</summary>
      <form onSubmit={submit}>
        <Field
          label={`Answer to “${question}”`}
          name="answer"
          rows={4}
          hint="It becomes a source of its own, and is quoted whole. It is live at once."
          failure={failure.value}
        />
        {hasLink && (
          <Field
            label="Link to a page that says more"
            name="link"
            type="url"
            isRequired={false}
            placeholder="https://shop.example/returns"
          />
        )}
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Save the answer
        </Button>
      </form>
    </details>
  );
}
