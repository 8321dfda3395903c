import { useSignal } from '@preact/signals';
import { Button, Failed, Field } from '../parts/controls.tsx';
import { useAction } from '../parts/use-action.ts';
import { post } from '../wire.ts';

/** A better answer to a question, stored as a source of its own: it answers the next visitor who asks. */
export function WriteAnswer({ chatbot, question }: { chatbot: string; question: string }) {
  const written = useSignal<string | undefined>(undefined);
  const { isBusy, failure, run } = useAction();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const answer = String(new FormData(event.currentTarget as HTMLFormElement).get('answer')).trim();
    void run(async () => {
      const path = `/api/v1/chatbot/${chatbot}/data-source/qa`;
      written.value = (await post<{ uuid: string }>(path, { question, answer })).uuid;
    });
  };
  const undo = (): Promise<boolean> =>
    run(async () => {
      await post(`/api/v1/data-source/${written.value}/delete`);
      written.value = undefined;
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
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Save the answer
        </Button>
      </form>
    </details>
  );
}
