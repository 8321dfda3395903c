import { me } from '../../account/account.ts';
import { Button, Failed, Field } from '../../parts/controls.tsx';
import { useChanges } from '../../parts/use-changes.ts';
import { useLeft } from '../../leave.ts';
import { useWrong } from '../../parts/use-wrong.ts';
import type { DataSource } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { statusWords } from '../../words.ts';
import { Failure, get, post } from '../../wire.ts';
import { Draft } from './Draft.tsx';

interface WriteAnswerProps {
  chatbot: string;
  question: string;
  /** The same question in the words of several visitors; its own alone by default. */
  wordings?: string[];
  /** Asks for an address that the answer shows as its source; false by default. */
  hasLink?: boolean;
  /** Told once it is stored, and once that is undone. */
  onWritten?: () => void;
}

/** Milliseconds between two looks whether the answer is learned, which takes some tens of them. */
const LOOK_MS = 100;

/** Where a draft begins to leave out what only the owner knows. */
const BLANK = '[___';

/** Resolves once visitors get it; rejects where it cannot be learned, or the screen is left. */
async function learned(uuid: string, left: AbortSignal): Promise<void> {
  for (;;) {
    const { tone, advice } = statusWords(await get<DataSource>(`/api/v1/data-source/${uuid}`, left));
    if (tone === 'good') return;
    if (tone === 'bad') throw new Error(`The answer is stored, but not live. ${advice}`);
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** A better answer to a question, stored as a source of its own: it answers the next visitor who asks. */
export function WriteAnswer({
  chatbot,
  question,
  wordings = [question],
  hasLink = false,
  onWritten = () => {},
}: WriteAnswerProps) {
  const written = useSignal<string | undefined>(undefined);
  const isLive = useSignal(false);
  const { isBusy, failure, failureOf, run } = useWrong();
  const left = useLeft();
  const { form, all } = useChanges((data) =>
    isLive.value ? {} : Object.fromEntries(Array.from(data, ([name, text]) => [name, String(text).trim()])),
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const body: Record<string, unknown> = { question, ...all() };
    void run(async () => {
      if (String(body['answer']).includes(BLANK))
        throw new Failure(`Fill in what stands in ${BLANK} …].`, 422, { field: 'answer' });
      // A second try changes what the first has stored.
      const path = written.value ? `data-source/${written.value}/update` : `chatbot/${chatbot}/data-source/qa`;
      written.value = (await post<DataSource>(`/api/v1/${path}`, body)).uuid;
      await learned(written.value, left);
      isLive.value = true;
      onWritten();
    }, form.current!);
  };
  const undo = (): Promise<boolean> =>
    run(async () => {
      await post(`/api/v1/data-source/${written.value}/delete`);
      written.value = undefined;
      isLive.value = false;
      onWritten();
    }, form.current!);
  return (
    <>
      {isLive.value && (
        <p class="notice" role="status">
          Your answer is live: ask again to see it.{' '}
          <Button isBusy={isBusy.value} onClick={() => void undo()}>
            Undo
          </Button>
        </p>
      )}
      <Failed failure={failure} />
      {/* What is written stays, for whoever undoes it. */}
      <details class="add" hidden={isLive.value}>
        <summary>Write the answer yourself</summary>
        <form ref={form} onSubmit={submit}>
          <Field
            label={`Answer to “${question}”`}
            name="answer"
            rows={4}
            hint="It becomes a source of its own, and is quoted whole. It is live at once."
            failure={failureOf('answer', 'question')}
          />
          {hasLink && (
            <Field
              label="Link to a page that says more"
              name="reference_source_link"
              type="url"
              isRequired={false}
              placeholder="https://shop.example/returns"
              failure={failureOf('reference_source_link')}
            />
          )}
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            Save the answer
          </Button>{' '}
          {me().has_model && <Draft chatbot={chatbot} questions={wordings} />}
        </form>
      </details>
    </>
  );
}
