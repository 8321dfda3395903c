import { may } from '../../account/membership.ts';
import { Empty, Pending } from '../../parts/controls.tsx';
import { useFilters } from '../../parts/Filters.tsx';
import { usePages } from '../../parts/use-pages.tsx';
import type { Conversation } from '../../records.ts';
import { ago, count } from '../../words.ts';
import { ConversationView } from './ConversationView.tsx';
import { Marked } from './Marked.tsx';
import { Narrow, NAMES } from './Narrow.tsx';
import { useKeys } from './use-keys.ts';

interface Props {
  chatbot: string;
  /** The one that is shown beside the list. */
  session?: string;
}

/** What visitors asked, newest first, and one conversation as its visitor saw it. */
export function Conversations({ chatbot, session }: Props) {
  const { areShown } = useKeys();
  const base = `/console/chatbot/${chatbot}/conversations`;
  const { query, ...narrowed } = useFilters(NAMES, base);
  const { search = '' } = narrowed.values;
  const { listed, more, ...loading } = usePages<Conversation>(
    `/api/v1/chatbot/${chatbot}/conversations${query}`,
    query ? 'Look at older ones' : 'Show more',
  );
  return (
    <>
      <Narrow chatbot={chatbot} {...narrowed} />
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
      <Pending of={loading} what="the conversations" />
      <div class={session ? 'conversations halves with-one' : 'conversations'}>
        {loading.data.value && (
          <div>
            {listed.length === 0 && (
              <Empty title={query ? 'Nothing found so far' : 'Nobody has asked yet'}>
                {query ? (
                  'No conversation that was looked at matches. Change a filter.'
                ) : (
                  <>
                    Once the snippet is on your site, what visitors ask appears here.{' '}
                    {may(chatbot, 'edit') && <a href={`/console/chatbot/${chatbot}/start`}>Get the snippet</a>}
                  </>
                )}
              </Empty>
            )}
            <ul class="rows" aria-label="Conversations">
              {listed.map((one) => (
                <li key={one.uuid}>
                  <a href={`${base}/${one.uuid}${query}`} aria-current={one.uuid === session ? 'true' : undefined}>
                    <strong class="cut">
                      <Marked text={one.found?.query ?? one.first_query} sought={search} />
                    </strong>
                    {search && one.found && (
                      <span class="cut">
                        <Marked text={one.found.text} sought={search} />
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
            {more}
          </div>
        )}
        {session && (
          <ConversationView
            sought={search}
            key={session}
            chatbot={chatbot}
            session={session}
            back={`${base}${query}`}
            onDeleted={loading.reload}
          />
        )}
      </div>
    </>
  );
}

interface ExportProps {
  chatbot: string;
  query: string;
  format: 'csv' | 'jsonl';
  word: string;
}

const Export = ({ chatbot, query, format, word }: ExportProps) => (
  <a href={`/api/v1/chatbot/${chatbot}/conversations/export?format=${format}${query.replace('?', '&')}`} download>
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
