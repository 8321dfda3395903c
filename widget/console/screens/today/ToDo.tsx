import { Failed } from '../../parts/controls.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { may } from '../../account/membership.ts';
import type { Conversation, DataSource, GapList } from '../../records.ts';
import { count } from '../../words.ts';
import { get, getPage } from '../../wire.ts';

/** Failed sources, and visitors who wait for a person, that are counted. */
const MOST = 100;
const REQUESTED = 'state=requested';

/** The three things that make the chatbot better, each with its place; a viewer has the last alone. */
export function ToDo({ chatbot }: { chatbot: string }) {
  const api = `/api/v1/chatbot/${chatbot}`;
  const { data, failure, reload } = useLoad(chatbot, async (signal) => {
    // What a viewer may not read is not asked for.
    const mayEdit = may(chatbot, 'edit');
    const [gaps, failed, waiting] = await Promise.all([
      mayEdit ? get<GapList>(`${api}/gaps`, signal) : undefined,
      mayEdit ? get<DataSource[]>(`${api}/data-sources?state=failed&limit=${MOST}`, signal) : undefined,
      getPage<Conversation>(`${api}/conversations?${REQUESTED}&limit=${MOST}`, signal),
    ]);
    return { gaps: gaps?.count, failed: failed?.length, waiting: waiting.list.length, isMore: waiting.next !== '' };
  });
  const { gaps = 0, failed = 0, waiting = 0, isMore = false } = data.value ?? {};
  const to = (screen: string): string => `/console/chatbot/${chatbot}/${screen}`;
  return (
    <section>
      <h2>To do next</h2>
      <Failed failure={failure} again={reload} />
      <ul class="to-do" aria-busy={!data.value}>
        {may(chatbot, 'edit') && (
          <>
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
          </>
        )}
        <li>
          <a href={to(`conversations?${REQUESTED}`)}>
            {waiting
              ? `${count(waiting, 'visitor')}${isMore ? ' or more' : ''} asked for a person: read them`
              : 'Conversations'}
          </a>{' '}
          {data.value && waiting === 0 && !isMore && <span class="muted">Nobody asked for a person.</span>}
        </li>
      </ul>
    </section>
  );
}
