import { Failed } from '../../parts/controls.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { Analytics, DataSource, GapList } from '../../records.ts';
import { count } from '../../words.ts';
import { get } from '../../wire.ts';

/** Failed sources that are counted. */
const MOST = 100;

/** The three things that make the chatbot better, each with its place. */
export function ToDo({ chatbot }: { chatbot: string }) {
  const api = `/api/v1/chatbot/${chatbot}`;
  const { data, failure, reload } = useLoad(chatbot, async (signal) => {
    const [gaps, failed, week] = await Promise.all([
      get<GapList>(`${api}/gaps`, signal),
      get<DataSource[]>(`${api}/data-sources?state=failed&limit=${MOST}`, signal),
      get<Analytics>(`${api}/analytics`, signal),
    ]);
    return { gaps: gaps.count, failed: failed.length, waiting: week.handed_over };
  });
  const { gaps = 0, failed = 0, waiting = 0 } = data.value ?? {};
  const to = (screen: string): string => `/console/chatbot/${chatbot}/${screen}`;
  return (
    <section>
      <h2>To do next</h2>
      <Failed failure={failure} again={reload} />
      <ul class="to-do" aria-busy={!data.value}>
        <li>
          <a href={to('gaps')}>{gaps ? `${count(gaps, 'gap')}: write the answer` : 'Gaps'}</a>{' '}
          {data.value && gaps === 0 && <span class="muted">None open.</span>}
        </li>
        <li>
          <a href={to('sources')}>
            {failed ? `${count(failed, 'source')}${failed === MOST ? ' or more' : ''} failed: see why` : 'Sources'}
          </a>{' '}
          {data.value && failed === 0 && <span class="muted">None failed.</span>}
        </li>
        <li>
          <a href={to('conversations')}>
            {waiting ? `${count(waiting, 'visitor')} asked for a person in 30 days: read them` : 'Conversations'}
          </a>{' '}
          {data.value && waiting === 0 && <span class="muted">Nobody asked for a person in 30 days.</span>}
        </li>
      </ul>
    </section>
  );
}
