import { Button, Empty, Failed, Pending } from '../../parts/controls.tsx';
import { focusHeading } from '../../parts/Confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Gap, GapList } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { ago, count } from '../../words.ts';
import { get, post } from '../../wire.ts';
import { WriteAnswer } from './WriteAnswer.tsx';

const REASONS = {
  unknown: 'not known',
  unsure: 'not sure',
  rated_down: 'voted down',
  asked_again: 'asked again',
} as const;

/** What visitors asked in vain: write the answer, or put the group away. */
export function Gaps({ chatbot }: { chatbot: string }) {
  const isHidden = useSignal(false);
  /** Groups that were open when the screen was met. */
  const before = useSignal<number | undefined>(undefined);
  /** Those answered here stay in sight, with their undo, until the list is left. */
  const answered = useSignal<Gap[]>([]);
  const { data, ...loading } = useLoad(`${chatbot}\n${isHidden.value}`, async (signal) => {
    const list = await get<GapList>(`/api/v1/chatbot/${chatbot}/gaps?hidden=${isHidden.value}`, signal);
    if (!isHidden.value) before.value ??= list.count;
    return { ...list, isHidden: isHidden.value };
  });
  const { reload } = loading;
  const list = data.value?.isHidden === isHidden.value ? data.value : undefined;
  const isMended = (gap: Gap): boolean => answered.value.some(({ question }) => question === gap.question);
  const open = list?.gaps.filter((gap) => !isMended(gap)) ?? [];
  const shown = isHidden.value ? open : [...answered.value, ...open];
  const switchTo = (hidden: boolean): void => {
    answered.value = [];
    isHidden.value = hidden;
  };
  /** One whose answer is undone stays as well: its form has what was written. */
  const note = (gap: Gap): void => {
    if (!isMended(gap)) answered.value = [...answered.value, gap];
    reload();
  };
  return (
    <>
      <p>
        <Button onClick={() => switchTo(!isHidden.value)}>
          {isHidden.value ? 'Show open gaps' : 'Show hidden gaps'}
        </Button>
      </p>
      <Pending of={{ ...loading, data }} what="the gaps" />
      {list && (
        <p role="status">
          {isHidden.value ? `${count(list.count, 'hidden gap')}.` : `${count(list.count, 'gap')} open.`}
          {!isHidden.value && before.value !== undefined && before.value > list.count && ` There were ${before.value}.`}
          {list.is_cut && ' These are out of the newest questions: older ones were not looked at.'}
        </p>
      )}
      {list && shown.length === 0 && (
        <Empty title={isHidden.value ? 'Nothing is hidden' : 'No gaps'}>
          {isHidden.value
            ? 'Groups that you mark as not yours stand here, and can be shown again.'
            : 'What visitors ask in vain stands here: not known, not sure, voted down, or asked again in other words.'}
        </Empty>
      )}
      <ul class="gaps" aria-label="Gaps">
        {shown.map((gap) => (
          <Group
            key={gap.question}
            chatbot={chatbot}
            gap={gap}
            isHidden={isHidden.value}
            onWritten={() => note(gap)}
            onMoved={reload}
          />
        ))}
      </ul>
    </>
  );
}

interface GroupProps {
  chatbot: string;
  gap: Gap;
  isHidden: boolean;
  onWritten: () => void;
  onMoved: () => void;
}

function Group({ chatbot, gap, isHidden, onWritten, onMoved }: GroupProps) {
  const { isBusy, failure, run } = useAction();
  const { question, reasons, wordings, passages } = gap;
  const why = (Object.keys(REASONS) as (keyof typeof REASONS)[]).filter((reason) => reasons[reason] > 0);
  const move = async (): Promise<void> => {
    const path = `/api/v1/chatbot/${chatbot}/gap/${isHidden ? 'show' : 'hide'}`;
    if (!(await run(() => post(path, { question })))) return;
    onMoved();
    focusHeading();
  };
  return (
    <li>
      <section aria-label={question}>
        <h2 class="words">{question}</h2>
        <p class="muted">
          Asked {count(gap.count, 'time')}, last {ago(gap.last_asked)}:{' '}
          {why.map((reason) => `${reasons[reason]} ${REASONS[reason]}`).join(', ')}
        </p>
        <details>
          <summary>In the visitors’ words, and what is nearest</summary>
          <ul>
            {wordings.map(({ query, session, asked_at }) => (
              <li key={session + query} class="words">
                <a href={`/console/chatbot/${chatbot}/conversations/${session}`}>{query}</a>{' '}
                <span class="muted">{ago(asked_at)}</span>
              </li>
            ))}
          </ul>
          {passages.map(({ data_source_uuid, title, text }, at) => (
            <blockquote key={data_source_uuid + at} class="words">
              <strong>{title}</strong>: {text}
            </blockquote>
          ))}
          {passages.length === 0 && <p class="muted">No source is near.</p>}
        </details>
        {!isHidden && (
          <WriteAnswer
            chatbot={chatbot}
            question={question}
            wordings={wordings.map(({ query }) => query)}
            hasLink
            onWritten={onWritten}
          />
        )}
        <Button isBusy={isBusy.value} onClick={() => void move()}>
          {isHidden ? 'Show again' : 'Not ours'}
        </Button>
        <Failed failure={failure} />
      </section>
    </li>
  );
}
