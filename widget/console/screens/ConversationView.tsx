import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Answer } from '../parts/Answer.tsx';
import { Confirm, focusHeading } from '../parts/Confirm.tsx';
import { Failed, Loading } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoad } from '../parts/use-load.ts';
import type { Message } from '../records.ts';
import { ago } from '../words.ts';
import { get, post } from '../wire.ts';

interface Props {
  session: string;
  /** The address of the list. */
  back: string;
  onDeleted: () => void;
}

/** One conversation as its visitor saw it; `onDeleted` is called once it is gone. */
export function ConversationView({ session, back, onDeleted }: Props) {
  const { data, failure, reload } = useLoad(session, (signal) =>
    get<Message[]>(`/api/v1/session/${session}/messages`, signal),
  );
  const { isBusy, failure: deleteFailure, run } = useAction();
  const remove = async (): Promise<void> => {
    if (!(await run(() => post(`/api/v1/session/${session}/delete`)))) return;
    onDeleted();
    focusHeading();
  };
  const region = useRef<HTMLElement>(null);
  const isLoaded = data.value !== undefined;
  useEffect(() => {
    if (isLoaded) region.current?.focus();
  }, [isLoaded]);
  return (
    <section ref={region} class="conversation" aria-label="Conversation" tabIndex={-1}>
      <a class="back" href={back}>
        <Icon name="back" /> All conversations
      </a>
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the conversation" />}
      {data.value?.map((message) => (
        <Turn key={message.uuid} message={message} />
      ))}
      <Failed failure={deleteFailure} />
      {data.value && (
        <Confirm
          label="Delete this conversation"
          confirmLabel="Delete"
          question="Delete it for good?"
          icon="remove"
          isBusy={isBusy.value}
          act={() => void remove()}
        />
      )}
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
