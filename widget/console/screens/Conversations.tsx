import { useSignal, type Signal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { Button, Empty, Failed, Loading } from '../parts/controls.tsx';
import { Filters } from '../parts/Filters.tsx';
import { Frame } from '../parts/Frame.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoad } from '../parts/use-load.ts';
import type { Conversation } from '../records.ts';
import { ago, count } from '../words.ts';
import { getPage } from '../wire.ts';
import { ConversationView } from './ConversationView.tsx';

const FILTERS = {
  '': 'All',
  unknown: 'Not known',
  unsure: 'Not sure',
  rated_down: 'Voted down',
  rated_up: 'Voted up',
};

interface Props {
  chatbot: string;
  /** The one that is shown beside the list. */
  session?: string;
}

/** What visitors asked, newest first, and one conversation as its visitor saw it. */
export function Conversations({ chatbot, session }: Props) {
  const search = useSignal('');
  const has = useSignal('');
  const more = useSignal<Conversation[]>([]);
  const next = useSignal('');
  const { isBusy, failure: moreFailure, run } = useAction();
  const base = `/console/chatbot/${chatbot}/conversations`;
  const { data, failure, reload } = useLoad(`${chatbot}\n${search.value}\n${has.value}`, async (signal) => {
    const query = new URLSearchParams();
    if (search.value) query.set('search', search.value);
    if (has.value) query.set('has', has.value);
    const page = await getPage<Conversation>(`/api/v1/chatbot/${chatbot}/conversations?${query}`, signal);
    more.value = [];
    next.value = page.next;
    return page.list;
  });
  const { route } = useLocation();
  const listed = [...(data.value ?? []), ...more.value];
  const isFiltered = search.value !== '' || has.value !== '';
  /** What follows the list before is no part of the next. */
  const narrow = (filter: Signal<string>, value: string): void => {
    filter.value = value;
    next.value = '';
  };
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const from = next.value;
      const page = await getPage<Conversation>(from);
      // Another list stands there by now.
      if (next.value !== from) return;
      more.value = [...more.value, ...page.list];
      next.value = page.next;
    });
  return (
    <Frame chatbot={chatbot} title="Conversations">
      <Filters
        searchLabel="Search questions and answers"
        onSearch={(text) => narrow(search, text)}
        choiceLabel="Show"
        choices={FILTERS}
        onChoose={(value) => narrow(has, value)}
      />
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the conversations" />}
      <div class={session ? 'halves with-one' : ''}>
        {data.value && (
          <div>
            {listed.length === 0 && (
              <Empty title={isFiltered ? 'Nothing found so far' : 'Nobody has asked yet'}>
                {isFiltered ? (
                  'No conversation that was looked at matches.'
                ) : (
                  <>
                    Put the snippet on your site, and what visitors ask appears here.{' '}
                    <a href={`/console/chatbot/${chatbot}/start`}>Get the snippet</a>
                  </>
                )}
              </Empty>
            )}
            <ul class="rows" aria-label="Conversations">
              {listed.map((one) => (
                <li key={one.uuid}>
                  <a href={`${base}/${one.uuid}`} aria-current={one.uuid === session ? 'true' : undefined}>
                    <strong class="cut">{one.first_query}</strong>
                    <span class="muted">
                      {ago(one.modified_at)} · {count(one.messages, 'message')}
                    </span>{' '}
                    <Marks conversation={one} />
                  </a>
                </li>
              ))}
            </ul>
            <Failed failure={moreFailure} again={reload} />
            {next.value && (
              <Button isBusy={isBusy.value} onClick={() => void loadMore()}>
                {isFiltered ? 'Look at older ones' : 'Show more'}
              </Button>
            )}
          </div>
        )}
        {session && (
          <ConversationView
            key={session}
            session={session}
            back={base}
            onDeleted={() => {
              route(base);
              reload();
            }}
          />
        )}
      </div>
    </Frame>
  );
}

const Marks = ({ conversation: { unknown, unsure, rated_up, rated_down, labels } }: { conversation: Conversation }) => (
  <span class="marks">
    {unknown > 0 && <span class="badge bad">{unknown} not known</span>}
    {unsure > 0 && <span class="badge busy">{unsure} not sure</span>}
    {rated_down > 0 && <span class="badge bad">{rated_down} voted down</span>}
    {rated_up > 0 && <span class="badge good">{rated_up} voted up</span>}
    {labels.map((label) => (
      <span key={label} class="badge">
        {label}
      </span>
    ))}
  </span>
);
