import { useLayoutEffect, useRef } from 'preact/hooks';
import { may } from '../../account/membership.ts';
import { Answer } from '../../parts/Answer.tsx';
import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Failed, Pending } from '../../parts/controls.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useNext } from '../../leave.ts';
import { useLoad } from '../../parts/use-load.ts';
import { objectIn } from '../../json.ts';
import type { Message } from '../../records.ts';
import { useComputed, useSignal } from '../../signals.ts';
import { ago } from '../../words.ts';
import { get, post } from '../../wire.ts';
import { Steps } from '../playground/Steps.tsx';
import { traceIn, type Traced } from '../playground/trace-question.ts';
import { WriteAnswer } from '../gaps/WriteAnswer.tsx';
import { useMarks } from './Marked.tsx';

interface Props {
  chatbot: string;
  session: string;
  /** The address of the list. */
  back: string;
  /** Words that were searched, '' for none: they are marked. */
  sought: string;
  onDeleted: () => void;
}

/** One conversation as its visitor saw it; once it is gone the list stands there, and `onDeleted` is called. */
export function ConversationView({ chatbot, session, back, sought, onDeleted }: Props) {
  const loading = useLoad(session, (signal) => get<Message[]>(`/api/v1/session/${session}/messages`, signal));
  const { data } = loading;
  const { isBusy, failure: deleteFailure, run } = useAction();
  const next = useNext();
  const remove = async (): Promise<void> => {
    if (!(await run(() => post(`/api/v1/session/${session}/delete`)))) return;
    next(back);
    onDeleted();
  };
  const region = useRef<HTMLElement>(null);
  const isLoaded = data.value !== undefined;
  // At once: when it has loaded, the owner may be writing in the search.
  useLayoutEffect(() => region.current?.focus(), []);
  useMarks(region, sought, isLoaded);
  return (
    <section ref={region} class="conversation" aria-label="Conversation" tabIndex={-1}>
      <a class="back" href={back}>
        <Icon name="back" /> All conversations
      </a>
      <Pending of={loading} what="the conversation" />
      {data.value?.map((message) => (
        <Turn key={message.uuid} chatbot={chatbot} session={session} message={message} />
      ))}
      <Failed failure={deleteFailure} />
      {data.value && may(chatbot, 'change conversations') && (
        <Confirm
          label="Delete this conversation"
          question="Delete it for good?"
          isBusy={isBusy.value}
          act={() => void remove()}
        />
      )}
    </section>
  );
}

function Turn({ chatbot, session, message }: { chatbot: string; session: string; message: Message }) {
  const text = useComputed(() => message.response);
  const { rating, comment } = objectIn(message.feedback_json);
  const { outcome } = objectIn(message.meta_json);
  return (
    <div class="turn">
      <Answer query={message.query} text={text} citations={message.cite_data_json} isWhole />
      <p class="muted">
        {ago(message.created_at)} {outcome === 'unknown' && <span class="badge bad">not known</span>}
        {outcome === 'unsure' && <span class="badge busy">not sure</span>}{' '}
        {rating === 1 && <span class="badge good">voted up</span>}{' '}
        {rating === -1 && <span class="badge bad">voted down</span>}{' '}
        {typeof comment === 'string' && comment && <q>{comment}</q>}
      </p>
      {message.error_message && <p class="failed">{message.error_message}</p>}
      {!message.error_message && !message.response && (
        <p class="failed">There is no answer: it was interrupted, or is being written.</p>
      )}
      {may(chatbot, 'edit') && (
        <>
          {(outcome === 'unknown' || outcome === 'unsure' || rating === -1) && (
            <WriteAnswer chatbot={chatbot} question={message.query} />
          )}
          <Why session={session} message={message} />
        </>
      )}
    </div>
  );
}

/** Asked for by the reader: a model may have a price. */
function Why({ session, message: { uuid, query } }: { session: string; message: Message }) {
  const traced = useSignal<Traced | undefined>(undefined);
  const { isBusy, failure, run } = useAction();
  const explain = (): Promise<boolean> =>
    run(async () => {
      traced.value = await traceIn(session, { query, before: uuid });
    });
  return (
    <div aria-busy={isBusy.value}>
      {!traced.value && (
        <Button icon="ask" isBusy={isBusy.value} onClick={() => void explain()}>
          Why this answer?
        </Button>
      )}
      <Failed failure={failure} />
      {traced.value && (
        <>
          <p class="notice" role="status">
            This is how the question would be answered now, at its place in the conversation.
          </p>
          <Steps trace={traced.value.trace} took={traced.value.took} />
        </>
      )}
    </div>
  );
}
