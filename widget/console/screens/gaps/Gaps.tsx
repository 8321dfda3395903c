import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Button, Empty, Failed, Pending } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad, type Loaded } from '../../parts/use-load.ts';
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

/** Whether they are the same group: what most visitors call it, and so its `question`, changes as they ask. */
const isSame = (a: Gap, b: Gap): boolean =>
  a.wordings.some(({ query }) => b.wordings.some((other) => other.query === query));

/** The list anew: what was shown keeps its place and its name, what is new comes behind it. */
function merge(shown: Gap[], now: Gap[], kept: Set<string>): Gap[] {
  const left = new Set(now);
  const stay = shown.flatMap((gap) => {
    const found = [...left].find((one) => isSame(one, gap));
    left.delete(found!);
    return found || kept.has(gap.question) ? [{ ...gap, ...found, question: gap.question }] : [];
  });
  return [...stay, ...left];
}

/** What visitors asked in vain: write the answer, or put the group away. */
export function Gaps({ chatbot }: { chatbot: string }) {
  const { path, query } = useLocation();
  const isHidden = query['hidden'] === 'true';
  /** Groups that were open when the screen was met. */
  const before = useSignal<number | undefined>(undefined);
  /** Questions of those that were answered or moved here: they stay in sight, with their undo, until the list is left. */
  const kept = useRef(new Set<string>());
  const loading: Loaded<GapList & { isHidden: boolean }> = useLoad(`${chatbot}\n${isHidden}`, async (signal) => {
    const list = await get<GapList>(`/api/v1/chatbot/${chatbot}/gaps?hidden=${isHidden}`, signal);
    if (!isHidden) before.value ??= list.count;
    const shown = loading.data.value;
    return { ...list, isHidden, gaps: merge(shown?.isHidden === isHidden ? shown.gaps : [], list.gaps, kept.current) };
  });
  const { value } = loading.data;
  const list = value?.isHidden === isHidden ? value : undefined;
  /** One whose answer is undone stays as well: its form has what was written. */
  const keep = (question: string): void => {
    kept.current.add(question);
    loading.reload();
  };
  return (
    <>
      <p>
        <a class="button" href={isHidden ? path : `${path}?hidden=true`}>
          {isHidden ? 'Show open gaps' : 'Show hidden gaps'}
        </a>
      </p>
      <Pending of={loading} what="the gaps" />
      {list && (
        <p role="status">
          {isHidden ? `${count(list.count, 'hidden gap')}.` : `${count(list.count, 'gap')} open.`}
          {!isHidden && before.value !== undefined && before.value > list.count && ` There were ${before.value}.`}
          {list.count > list.gaps.length
            ? ` Here are the ${list.gaps.length} asked most: the others come as these are answered or hidden.`
            : list.is_cut && ' These are out of the newest questions: older ones were not looked at.'}
        </p>
      )}
      {list?.gaps.length === 0 && (
        <Empty title={isHidden ? 'Nothing is hidden' : 'No gaps'}>
          {isHidden
            ? 'Groups that you mark as not yours stand here, and can be shown again.'
            : 'What visitors ask in vain stands here: not known, not sure, voted down, or asked again in other words.'}
        </Empty>
      )}
      <ul class="gaps" aria-label="Gaps">
        {list?.gaps.map((gap) => (
          <Group
            key={`${isHidden} ${gap.question}`}
            chatbot={chatbot}
            gap={gap}
            isHidden={isHidden}
            onMended={() => keep(gap.question)}
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
  /** Called once it is answered or moved to the other list, and once that is undone. */
  onMended: () => void;
}

function Group({ chatbot, gap, isHidden, onMended }: GroupProps) {
  const { isBusy, failure, run } = useAction();
  const { question, reasons, wordings, passages } = gap;
  const why = (Object.keys(REASONS) as (keyof typeof REASONS)[]).filter((reason) => reasons[reason] > 0);
  const isMoved = useSignal(false);
  const move = async (): Promise<void> => {
    const path = `/api/v1/chatbot/${chatbot}/gap/${isHidden === isMoved.value ? 'hide' : 'show'}`;
    if (!(await run(() => post(path, { question })))) return;
    isMoved.value = !isMoved.value;
    onMended();
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
          <div hidden={isMoved.value}>
            <WriteAnswer
              chatbot={chatbot}
              question={question}
              wordings={wordings.map(({ query }) => query)}
              hasLink
              onWritten={onMended}
            />
          </div>
        )}
        <div role="status">
          {isMoved.value && (
            <p class="notice">{isHidden ? 'It is among the open gaps again.' : 'It is hidden: it counts no more.'}</p>
          )}
        </div>
        {/* One button, which keeps the focus. */}
        <Button isBusy={isBusy.value} onClick={() => void move()}>
          {isMoved.value ? 'Undo' : isHidden ? 'Show again' : 'Not ours'}
        </Button>
        <Failed failure={failure} />
      </section>
    </li>
  );
}
