import { Button } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';

interface AskFormProps {
  isBusy: boolean;
  /** Called with a question that is not empty; resolves with whether the field is to be emptied. */
  onAsk: (question: string) => Promise<boolean>;
}

/** The field for a question to the chatbot. */
export function AskForm({ isBusy, onAsk }: AskFormProps) {
  const submit = sent((text, form) => {
    const question = text('query');
    if (!question) return;
    // What was typed meanwhile is the next question.
    void onAsk(question).then((isDone) => isDone && form['query'].value.trim() === question && form.reset());
  });
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
