import { useComputed, useSignal } from '@preact/signals';
import { Answer } from '../parts/Answer.tsx';
import { Button, Failed, Loading } from '../parts/controls.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoad } from '../parts/use-load.ts';
import type { Message } from '../records.ts';
import { ago } from '../words.ts';
import { get, post } from '../wire.ts';

/** One conversation as its visitor saw it; `onDeleted` is called once it is gone. */
export function ConversationView({ session, onDeleted }: { session: string; onDeleted: () => void }) {
  const { data, failure, reload } = useLoad(session, (signal) =>
    get<Message[]>(`/api/v1/session/${session}/messages`, signal),
  );
  const isAsked = useSignal(false);
  const { isBusy, failure: deleteFailure, run } = useAction();
  const remove = async (): Promise<void> => {
    if (await run(() => post(`/api/v1/session/${session}/delete`))) onDeleted();
  };
  return (
    <section class="conversation" aria-label="Conversation">
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the conversation" />}
      {data.value?.map((message) => (
        <Turn key={message.uuid} message={message} />
      ))}
      <Failed failure={deleteFailure} />
      {data.value &&
        (isAsked.value ? (
          <p class="ask">
            Delete it for good?
            <Button kind="danger" isBusy={isBusy.value} onClick={() => void remove()}>
              Delete
            </Button>
            <Button onClick={() => (isAsked.value = false)}>Keep</Button>
          </p>
        ) : (
          <Button icon="remove" onClick={() => (isAsked.value = true)}>
            Delete this conversation
          </Button>
        ))}
    </section>
  );
}

function Turn({ message }: { message: Message }) {
  const text = useComputed(() => message.response);
  const { rating, comment } = feedbackIn(message.feedback_json);
  return (
    <div class="turn">
      <Answer query={message.query} text={text} citations={message.cite_data_json} isWhole />
      <p class="muted">
        {ago(message.created_at)} {rating === 1 && <span class="badge good">voted up</span>}{' '}
        {rating === -1 && <span class="badge bad">voted down</span>} {comment && <q>{comment}</q>}
      </p>
      {message.error_message && <p class="failed">{message.error_message}</p>}
    </div>
  );
}

function feedbackIn(json: string): { rating?: unknown; comment?: string } {
  try {
    const { rating, comment } = JSON.parse(json) as { rating?: unknown; comment?: unknown };
    return { rating, ...(typeof comment === 'string' && { comment }) };
  } catch {
    return {};
  }
}
