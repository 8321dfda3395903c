import { Button } from './controls.tsx';

interface AskFormProps {
  isBusy: boolean;
  /** Called with a question that is not empty; resolves with whether the field is to be emptied. */
  onAsk: (question: string) => Promise<boolean>;
}

/** The field for a question to the chatbot. */
export function AskForm({ isBusy, onAsk }: AskFormProps) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const question = String(new FormData(form).get('query')).trim();
    if (question) void onAsk(question).then((isDone) => isDone && form.reset());
  };
  return (
    <form class="question" onSubmit={submit}>
      <label>
        <span class="hidden">Question</span>
        <input name="query" placeholder="Ask what a visitor would ask" maxLength={8000} required autocomplete="off" />
      </label>
      <Button kind="primary" type="submit" isBusy={isBusy}>
        Ask
      </Button>
    </form>
  );
}
