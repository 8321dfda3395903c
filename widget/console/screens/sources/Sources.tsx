import type { Signal } from '@preact/signals';
import { objectIn } from '../../json.ts';
import { Button, Empty, Failed, Pending } from '../../parts/controls.tsx';
import { Confirm } from '../../parts/Confirm.tsx';
import { Filters, useFilters } from '../../parts/Filters.tsx';
import { Table } from '../../parts/Table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { CitedSource, DataSource, Site, SourceTag } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { ago, count, statusWords, TYPES } from '../../words.ts';
import { get, post } from '../../wire.ts';
import { AddSource } from './AddSource.tsx';
import { Address } from './Address.tsx';
import { Schedule } from './Schedule.tsx';
import { Sites } from './Sites.tsx';
import { namesOf, TagChosen, Tags, tagsBySource } from './Tags.tsx';

const PAGE = 100;
/** That the API sends at once. */
const MOST = 1000;
/** Milliseconds between two looks while a source is read. */
const LOOK_MS = 1500;

const NAMES = ['search', 'state', 'tag'];
const STATES = { '': 'All', never_cited: 'Never cited', ready: 'Ready', pending: 'Being read', failed: 'Failed' };

interface Listed {
  sources: DataSource[];
  sites: Site[];
  /** By source, of those that were ever cited. */
  cited: Map<string, CitedSource>;
  hasMore: boolean;
}

/** What the chatbot answers from: each source with its status, and what to do about it. */
export function Sources({ chatbot }: { chatbot: string }) {
  const { query, ...narrowed } = useFilters(NAMES, `/console/chatbot/${chatbot}/sources`);
  const shown = useSignal(PAGE);
  const chosen = useSignal<string[]>([]);
  // Loaded apart: what is being read has no tag yet.
  const tagging = useLoad(chatbot, (signal) =>
    get<SourceTag[]>(`/api/v1/chatbot/${chatbot}/source-tags?limit=${MOST}`, signal),
  );
  const tags = tagging.data.value ?? [];
  const path = `/api/v1/chatbot/${chatbot}/data-sources`;
  const loading = useLoad<Listed>(
    `${path}${query}\n${shown.value}`,
    async (signal) => {
      const limit = Math.min(shown.value + 1, MOST);
      const [listed, sites, citedSources] = await Promise.all([
        get<DataSource[]>(`${path}?limit=${limit}${query.replace('?', '&')}`, signal),
        get<Site[]>(`/api/v1/chatbot/${chatbot}/data-source/sites`, signal),
        get<CitedSource[]>(`${path}/cited`, signal),
      ]);
      const cited = new Map(citedSources.map((one) => [one.data_source, one]));
      const hasMore = listed.length > shown.value || listed.length === MOST;
      return { sources: listed.slice(0, shown.value), sites, cited, hasMore };
    },
    ({ sources, sites }) => (sources.some(isBusy) || sites.some(isRunning) ? LOOK_MS : 0),
  );
  const { data, reload } = loading;
  const { sources = [], sites = [], cited, hasMore = false } = data.value ?? {};
  const { tag } = narrowed.values;
  const onTags = (): void => {
    tagging.reload();
    reload();
  };
  return (
    <>
      <AddSource chatbot={chatbot} onAdded={reload} />
      <Sites chatbot={chatbot} sites={sites} onChanged={reload} />
      <Schedule chatbot={chatbot} />
      <Tags chatbot={chatbot} tags={tags} onChanged={onTags} />
      {sites.filter(isRunning).map((site) => (
        <Crawl key={site.uuid} chatbot={chatbot} site={site} onStopped={reload} />
      ))}
      <Filters
        {...narrowed}
        fields={{
          search: { label: 'Search titles and addresses', type: 'search' },
          state: { label: 'Status', choices: STATES },
          ...((tag || tags.length > 0) && {
            tag: { label: 'Tag', choices: { '': 'All tags', ...(tag && { [tag]: 'This tag' }), ...namesOf(tags) } },
          }),
        }}
      />
      {tags.length > 0 && (
        <TagChosen
          tags={tags}
          sources={chosen.value.filter((chosenOne) => sources.some(({ uuid }) => uuid === chosenOne))}
          onChanged={onTags}
        />
      )}
      <Failed failure={tagging.failure} again={tagging.reload} />
      <Pending of={loading} what="the sources" />
      {data.value && sources.length === 0 && (
        <Empty title={query ? 'Nothing matches' : 'Nothing to answer from yet'}>
          {query
            ? 'No source has all that is chosen above.'
            : 'Add your site above: its pages are read, and the chatbot answers from them.'}
        </Empty>
      )}
      {sources.length > 0 && (
        <SourcesTable
          chatbot={chatbot}
          sources={sources}
          cited={cited}
          tags={tagsBySource(tags)}
          isTaggable={tags.length > 0}
          chosen={chosen}
          onChanged={reload}
        />
      )}
      {hasMore && shown.value >= MOST && <p class="muted">There are more: search to find them.</p>}
      {hasMore && shown.value < MOST && <Button onClick={() => (shown.value += PAGE)}>Show more</Button>}
    </>
  );
}

const isBusy = (source: DataSource): boolean => statusWords(source).tone === 'busy';
const isRunning = ({ status }: Site): boolean => status === 'running';

function Crawl({ chatbot, site, onStopped }: { chatbot: string; site: Site; onStopped: () => void }) {
  const { isBusy: isStopping, failure, run } = useAction();
  const stop = (): Promise<boolean> =>
    run(async () => {
      await post(`/api/v1/chatbot/${chatbot}/data-source/site/${site.uuid}/stop`);
      onStopped();
    });
  return (
    <section class="progress" aria-label={`Reading ${site.url}`}>
      <p>
        <span class="spinner" /> Reading <strong>{site.url}</strong>: {count(site.done, 'page')} of {site.found} found
        {site.failed > 0 && `, ${site.failed} failed`}
      </p>
      <progress max={site.found || 1} value={site.done + site.failed} aria-label="Pages read" />
      <Button isBusy={isStopping.value} onClick={() => void stop()}>
        Stop
      </Button>
      <Failed failure={failure} />
    </section>
  );
}

interface SourcesTableProps {
  chatbot: string;
  sources: DataSource[];
  cited: Map<string, CitedSource> | undefined;
  /** By source, of those that have one. */
  tags: Map<string, SourceTag[]>;
  /** Whether there is a tag to choose sources for. */
  isTaggable: boolean;
  /** By uuid; of those that are not shown, too. */
  chosen: Signal<string[]>;
  onChanged: () => void;
}

const SourcesTable = ({ chatbot, sources, cited, tags, isTaggable, chosen, onChanged }: SourcesTableProps) => {
  const isAll = sources.every(({ uuid }) => chosen.value.includes(uuid));
  const head = (
    <span class="tools">
      {isTaggable && (
        <input
          type="checkbox"
          aria-label="Choose all that are shown"
          checked={isAll}
          onChange={() => (chosen.value = isAll ? [] : sources.map(({ uuid }) => uuid))}
        />
      )}
      Source
    </span>
  );
  return (
    <Table
      label="Sources"
      heads={[[head, ''], 'Status', ['Fetched or changed', 'less'], ['Cited', 'less'], ['Passages', 'number less'], '']}
    >
      {sources.map((source) => (
        <Row
          key={source.uuid}
          chatbot={chatbot}
          source={source}
          cited={cited?.get(source.uuid)}
          tags={tags.get(source.uuid) ?? []}
          isTaggable={isTaggable}
          chosen={chosen}
          onChanged={onChanged}
        />
      ))}
    </Table>
  );
};

interface RowProps extends Pick<SourcesTableProps, 'chatbot' | 'isTaggable' | 'chosen' | 'onChanged'> {
  source: DataSource;
  tags: SourceTag[];
  cited: CitedSource | undefined;
}

function Row({ chatbot, source, cited, tags, isTaggable, chosen, onChanged }: RowProps) {
  const { isBusy: isUnderWay, failure, run } = useAction();
  const { word, tone, advice } = statusWords(source);
  const { passages } = objectIn<{ passages: number }>(source.meta_json);
  const name = source.title || source.file_name || TYPES[source.type];
  const act = async (request: () => Promise<unknown>): Promise<void> => {
    if (await run(request)) onChanged();
  };
  const fetchAgain = (): Promise<unknown> => post('/api/v1/data-sources/url/re-scrape', { uuids: [source.uuid] });
  const deleteIt = (): Promise<unknown> => post(`/api/v1/data-source/${source.uuid}/delete`);
  return (
    <tr>
      <th scope="row">
        <span class="tools">
          {isTaggable && (
            <input
              type="checkbox"
              aria-label={`Choose ${name}`}
              checked={chosen.value.includes(source.uuid)}
              onChange={(event) =>
                (chosen.value = [
                  ...chosen.value.filter((uuid) => uuid !== source.uuid),
                  ...(event.currentTarget.checked ? [source.uuid] : []),
                ])
              }
            />
          )}
          <span>
            <a class="cut" href={`/console/chatbot/${chatbot}/sources/${source.uuid}`}>
              {name}
            </a>
            <span class="muted cut">
              {source.type === 'link' ? <Address url={source.file_name} /> : source.file_name || TYPES[source.type]}
            </span>
            {tags.map((tag) => (
              <span key={tag.uuid} class="badge words" style={{ borderColor: tag.color }}>
                {tag.name}
              </span>
            ))}
          </span>
        </span>
      </th>
      <td>
        <span class={`badge ${tone}`}>{word}</span>
        {advice && <p class="hint">{advice}</p>}
        <Failed failure={failure} />
      </td>
      <td class="less">{ago(source.modified_at)}</td>
      <td class="less">
        {cited ? count(cited.answers, 'time') : 'Never'}
        {cited && <span class="hint cut">last {ago(cited.last_cited_at)}</span>}
      </td>
      <td class="number less">{passages?.toLocaleString('en')}</td>
      <td class="end">
        <span class="tools">
          {source.type === 'link' && (
            <Button icon="again" isBusy={isUnderWay.value} onClick={() => void act(fetchAgain)}>
              Fetch again
            </Button>
          )}
          <Confirm
            label="Delete"
            question={`Delete “${name}”?`}
            isBusy={isUnderWay.value}
            act={() => void act(deleteIt)}
          />
        </span>
      </td>
    </tr>
  );
}
