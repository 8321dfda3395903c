import { useComputed, useSignal } from '@preact/signals';
import { Answer } from '../parts/Answer.tsx';
import { AskForm } from '../parts/AskForm.tsx';
import { Empty, Failed } from '../parts/controls.tsx';
import { Frame } from '../parts/Frame.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Trace } from '../records.ts';
import { post } from '../wire.ts';
import { Steps } from './Steps.tsx';
import { WriteAnswer } from './WriteAnswer.tsx';

interface Traced {
  query: string;
  trace: Trace;
  /** Milliseconds from the request to its reply. */
  took: number;
}

/** Asks as a visitor would, and shows why the answer is what it is. Nothing is stored, and no tool function acts. */
export function Playground({ chatbot }: { chatbot: string }) {
  const shown = useSignal<Traced | undefined>(undefined);
  const text = useComputed(() => shown.value?.trace.answer ?? '');
  const { isBusy, failure, run } = useAction();
  const askQuestion = async (query: string): Promise<void> => {
    const session = await post<{ uuid: string }>(`/api/v1/chatbot/${chatbot}/session/create`, { dry_run: true });
    const path = `/api/v1/session/${session.uuid}`;
    const start = performance.now();
    try {
      const trace = await post<Trace>(`${path}/message/trace`, { query }, { isSlow: true });
      shown.value = { query, trace, took: performance.now() - start };
    } finally {
      // It was made for this one question; one that stays is empty and does no harm.
      await post(`${path}/delete`).catch(() => undefined);
    }
  };
  const { query = '', trace, took = 0 } = shown.value ?? {};
  return (
    <Frame chatbot={chatbot} title="Playground">
      <AskForm isBusy={isBusy.value} onAsk={(query) => run(() => askQuestion(query)).then(() => false)} />
      <Failed failure={failure} />
      {!trace && !failure.value && (
        <Empty title="Why does it answer so?">
          Ask something: you see the answer, who gave it, what was found for it and what of that was used. Nothing is
          stored.
        </Empty>
      )}
      {trace && (
        <div class="halves">
          <div>
            <Answer query={query} text={text} citations={citationsOf(trace)} isWhole={!isBusy.value} />
            <WriteAnswer key={query} chatbot={chatbot} question={query} />
          </div>
          <Steps trace={trace} took={took} />
        </div>
      )}
    </Frame>
  );
}

/** The citations as messages have them, with the sentences that were quoted. */
const citationsOf = ({ citations }: Trace): string =>
  JSON.stringify(
    Object.fromEntries(
      citations.map(({ marker, title, address }) => [marker, { title, file_name: address, text: '' }]),
    ),
  );
