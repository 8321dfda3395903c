import type { ChatEvent } from '../../../../server/types.ts';
import { Empty, Failed, Pending } from '../../parts/controls.tsx';
import { Preview } from '../../parts/Preview.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { loadShown } from '../../profile.ts';
import { useSignal } from '../../signals.ts';
import { WriteAnswer } from '../gaps/WriteAnswer.tsx';
import { AddExample } from './AddExample.tsx';
import { KeepTest } from './KeepTest.tsx';
import { Steps } from './Steps.tsx';
import { asVisitorSees, traceQuestion, type Traced } from './trace-question.ts';

/** Asks as a visitor would, and shows why the answer is what it is. Nothing is stored, and no tool function acts. */
export function Playground({ chatbot }: { chatbot: string }) {
  const shown = useSignal<Traced | undefined>(undefined);
  const isBusy = useSignal(false);
  const askFailure = useSignal('');
  const loading = useLoad(chatbot, (signal) => loadShown(chatbot, signal));
  const { data } = loading;
  const ask = async (query: string): Promise<ChatEvent> => {
    isBusy.value = true;
    askFailure.value = '';
    try {
      shown.value = await traceQuestion(chatbot, query);
      return asVisitorSees(shown.value);
    } catch (error) {
      askFailure.value = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      isBusy.value = false;
    }
  };
  const { query = '', trace, took = 0 } = shown.value ?? {};
  return (
    <>
      <Pending of={loading} what="the chat" />
      {data.value && (
        <div class="halves">
          <Preview profile={data.value.profile} isInline onAsk={ask} />
          <div aria-busy={isBusy.value}>
            <Failed failure={askFailure} />
            {!trace && !askFailure.value && (
              <Empty title="Why does it answer so?">
                Ask something in the chat: you see who answers, what is found for it, what of that is used and what it
                costs. Each question is taken as the first of a conversation, and nothing is stored.
              </Empty>
            )}
            {trace && (
              <>
                <p class="query">{query}</p>
                <div class="mend">
                  <KeepTest key={query} chatbot={chatbot} query={query} trace={trace} />
                  <AddExample key={`example ${query}`} chatbot={chatbot} query={query} answeredBy={trace.agent.uuid} />
                  <WriteAnswer key={`answer ${query}`} chatbot={chatbot} question={query} />
                </div>
                <Steps trace={trace} took={took} />
              </>
            )}
          </div>
        </div>
      )}
    </>
  );
}
