import { useRef } from 'preact/hooks';
import { Button, Failed } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLeft } from '../../leave.ts';
import { useSignal } from '../../signals.ts';
import { post } from '../../wire.ts';

/** An answer to a gap as a model wrote it, and the sources it was given. */
interface GapDraft {
  text: string;
  sources: { data_source_uuid: string; title: string }[];
}

/** A button that puts a model's draft into the field `answer` of the form around it. What the owner wrote there stays until it is told to go. */
export function Draft({ chatbot, questions }: { chatbot: string; questions: string[] }) {
  const { isBusy, failure, run } = useAction();
  const draft = useSignal<GapDraft | undefined>(undefined);
  const isOffered = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const left = useLeft();
  const field = (): HTMLTextAreaElement => place.current!.closest('form')!['answer'];
  const take = (): void => {
    field().value = draft.value!.text;
    isOffered.value = false;
    // Not from where the owner went on meanwhile.
    if (place.current!.contains(document.activeElement)) field().focus();
  };
  const ask = (): Promise<boolean> =>
    run(async () => {
      const path = `/api/v1/chatbot/${chatbot}/gap/draft`;
      const known = draft.value?.text;
      draft.value = await post<GapDraft>(path, { questions }, { isSlow: true, signal: left });
      const written = field().value;
      if (!written.trim() || written === known) take();
      else isOffered.value = true;
    });
  return (
    <div ref={place} class="draft">
      <Button isBusy={isBusy.value} onClick={() => void ask()}>
        Draft it
      </Button>
      <Failed failure={failure} />
      <div role="status">
        {draft.value && (
          <p class="muted words">
            {draft.value.sources.length > 0
              ? `Drafted from: ${draft.value.sources.map(({ title }) => title).join(', ')}.`
              : 'No source is near: only you know the answer.'}{' '}
            Read it before you save it.
          </p>
        )}
      </div>
      {isOffered.value && (
        <>
          <blockquote class="words">{draft.value!.text}</blockquote>
          <Button onClick={take}>Take it in place of what you wrote</Button>{' '}
          <Button onClick={() => (isOffered.value = false)}>Keep mine</Button>
        </>
      )}
    </div>
  );
}
