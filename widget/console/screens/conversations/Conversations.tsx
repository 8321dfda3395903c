import { useLocation } from 'preact-iso/router';
import { Button, Empty, Failed, Loading } from '../../parts/controls.tsx';
import { Frame } from '../../parts/Frame.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Conversation } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { ago, count } from '../../words.ts';
import { getPage } from '../../wire.ts';
import { ConversationView } from './ConversationView.tsx';
import { Marked } from './Marked.tsx';
import { Narrow, NAMES, type Narrowed } from './Narrow.tsx';
import { useKeys } from './use-keys.ts';

interface Props {
  chatbot: string;
  /** The one that is shown beside the list. */
  session?: string;
}

/** What visitors asked, newest first, and one conversation as its visitor saw it. */
export function Conversations({ chatbot, session }: Props) {
  const { route, query: given } = useLocation();
  const { areShown } = useKeys();
  const narrowed: Narrowed = Object.fromEntries(NAMES.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
  const query = String(new URLSearchParams(narrowed));
  const isFiltered = query !== '';
  const more = useSignal<Conversation[]>([]);
  const next = useSignal('');
  const { isBusy, failure: moreFailure, run } = useAction();
  const base = `/console/chatbot/${chatbot}/conversations`;
  const suffix = isFiltered ? `?${query}` : '';
  const { data, failure, reload } = useLoad(`${chatbot}\n${query}`, async (signal) => {
    const page = await getPage<Conversation>(`/api/v1/chatbot/${chatbot}/conversations${suffix}`, signal);
    more.value = [];
    next.value = page.next;
    return page.list;
  });
  const listed = [...(data.value ?? []), ...more.value];
  const narrow = (name: keyof Narrowed, value: string): void => {
    // What follows the list before is no part of the next.
    next.value = '';
    const { [name]: _before, ...others } = narrowed;
    const made = String(new URLSearchParams({ ...others, ...(value && { [name]: value }) }));
    route(made ? `${base}?${made}` : base);
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
      <Narrow chatbot={chatbot} narrowed={narrowed} onChange={narrow} />
      <p class="muted">
        Export this list: <Export chatbot={chatbot} query={query} format="csv" word="CSV" />{' '}
        <Export chatbot={chatbot} query={query} format="jsonl" word="JSON Lines" /> · <kbd>?</kbd> shows the keys
      </p>
      <div role="status">
        {areShown.value && (
          <p class="notice">
            <kbd>j</kbd> next conversation, <kbd>k</kbd> the one before, <kbd>Enter</kbd> opens it, <kbd>/</kbd> search,{' '}
            <kbd>?</kbd> hides this
          </p>
        )}
      </div>
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the conversations" />}
      <div class={session ? 'conversations halves with-one' : 'conversations'}>
        {data.value && (
          <div>
            {listed.length === 0 && (
              <Empty title={isFiltered ? 'Nothing found so far' : 'Nobody has asked yet'}>
                {isFiltered ? (
                  'No conversation that was looked at matches. Use fewer or shorter words, or more days.'
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
                  <a href={`${base}/${one.uuid}${suffix}`} aria-current={one.uuid === session ? 'true' : undefined}>
                    <strong class="cut">
                      <Marked text={one.found?.query ?? one.first_query} sought={narrowed.search ?? ''} />
                    </strong>
                    {narrowed.search && one.found && (
                      <span class="cut">
                        <Marked text={one.found.text} sought={narrowed.search} />
                      </span>
                    )}
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
            sought={narrowed.search ?? ''}
            key={session}
            chatbot={chatbot}
            session={session}
            back={`${base}${suffix}`}
            onDeleted={() => {
              route(`${base}${suffix}`);
              reload();
            }}
          />
        )}
      </div>
    </Frame>
  );
}

interface ExportProps {
  chatbot: string;
  query: string;
  format: 'csv' | 'jsonl';
  word: string;
}

const Export = ({ chatbot, query, format, word }: ExportProps) => (
  <a href={`/api/v1/chatbot/${chatbot}/conversations/export?format=${format}${query && `&${query}`}`} download>
    {word}
  </a>
);

const Marks = ({
  conversation: { unknown, unsure, rated_up, rated_down, state, labels },
}: {
  conversation: Conversation;
}) => (
  <span class="marks">
    {state === 'requested' && <span class="badge busy">asked for a person</span>}
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
