import type { Signal } from '@preact/signals';
import { Button, Empty, Failed, Loading } from '../../parts/controls.tsx';
import { Confirm, focusHeading } from '../../parts/Confirm.tsx';
import { Choice, Filters } from '../../parts/Filters.tsx';
import { Frame } from '../../parts/Frame.tsx';
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
import { TagChosen, Tags, tagsBySource } from './Tags.tsx';

const PAGE = 100;
/** That the API sends at once. */
const MOST = 1000;
/** Milliseconds between two looks while a source is read. */
const LOOK_MS = 1500;

const FILTERS = { '': 'All', never_cited: 'Never cited', ready: 'Ready', pending: 'Being read', failed: 'Failed' };

interface Listed {
  sources: DataSource[];
  sites: Site[];
  /** By source, of those that were ever cited. */
  cited: Map<string, CitedSource>;
  hasMore: boolean;
}

/** What the chatbot answers from: each source with its status, and what to do about it. */
export function Sources({ chatbot }: { chatbot: string }) {
  const search = useSignal('');
  const state = useSignal('');
  const tag = useSignal('');
  const shown = useSignal(PAGE);
  const chosen = useSignal<string[]>([]);
  // Loaded apart: what is being read has no tag yet.
  const tagging = useLoad(chatbot, (signal) =>
    get<SourceTag[]>(`/api/v1/chatbot/${chatbot}/source-tags?limit=${MOST}`, signal),
  );
  const tags = tagging.data.value ?? [];
  const key = [chatbot, search.value, state.value, tag.value, shown.value].join('\n');
  const { data, failure, reload } = useLoad<Listed>(
    key,
    async (signal) => {
      const query = new URLSearchParams({ limit: `${Math.min(shown.value + 1, MOST)}` });
      if (search.value) query.set('search', search.value);
      if (state.value) query.set('state', state.value);
      if (tag.value) query.set('tag', tag.value);
      const [listed, sites, citedSources] = await Promise.all([
        get<DataSource[]>(`/api/v1/chatbot/${chatbot}/data-sources?${query}`, signal),
        get<Site[]>(`/api/v1/chatbot/${chatbot}/data-source/sites`, signal),
        get<CitedSource[]>(`/api/v1/chatbot/${chatbot}/data-sources/cited`, signal),
      ]);
      const cited = new Map(citedSources.map((one) => [one.data_source, one]));
      const hasMore = listed.length > shown.value || listed.length === MOST;
      return { sources: listed.slice(0, shown.value), sites, cited, hasMore };
    },
    ({ sources, sites }) => (sources.some(isBusy) || sites.some(isRunning) ? LOOK_MS : 0),
  );
  const { sources = [], sites = [], cited, hasMore = false } = data.value ?? {};
  const isFiltered = search.value !== '' || state.value !== '' || tag.value !== '';
  const onTags = (): void => {
    tagging.reload();
    reload();
  };
  return (
    <Frame chatbot={chatbot} title="Sources">
      <AddSource chatbot={chatbot} onAdded={reload} />
      <Sites chatbot={chatbot} sites={sites} onChanged={reload} />
      <Schedule chatbot={chatbot} />
      <Tags chatbot={chatbot} tags={tags} onChanged={onTags} />
      {sites.filter(isRunning).map((site) => (
        <Crawl key={site.uuid} chatbot={chatbot} site={site} onStopped={reload} />
      ))}
      <Filters
        searchLabel="Search titles and addresses"
        onSearch={(text) => (search.value = text)}
        choiceLabel="Status"
        choices={FILTERS}
        onChoose={(value) => (state.value = value)}
      >
        {tags.length > 0 && (
          <Choice choiceLabel="Tag" choices={tagChoices(tags)} onChoose={(value) => (tag.value = value)} />
        )}
      </Filters>
      {tags.length > 0 && (
        <TagChosen
          tags={tags}
          sources={chosen.value.filter((chosenOne) => sources.some(({ uuid }) => uuid === chosenOne))}
          onChanged={onTags}
        />
      )}
      <Failed failure={tagging.failure} again={tagging.reload} />
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the sources" />}
      {data.value && sources.length === 0 && (
        <Empty title={isFiltered ? 'Nothing matches' : 'Nothing to answer from yet'}>
          {isFiltered
            ? 'No source has all that is chosen above.'
            : 'Add your site above: its pages are read, and the chatbot answers from them.'}
        </Empty>
      )}
      {sources.length > 0 && (
        <Table
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
    </Frame>
  );
}

const tagChoices = (tags: SourceTag[]): Record<string, string> =>
  Object.fromEntries([['', 'All tags'], ...tags.map(({ uuid, name }) => [uuid, name])]) as Record<string, string>;

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

interface TableProps {
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

const Table = ({ chatbot, sources, cited, tags, isTaggable, chosen, onChanged }: TableProps) => (
  <div class="scroll" role="region" aria-label="Sources" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">
            <span class="tools">
              {isTaggable && (
                <input
                  type="checkbox"
                  aria-label="Choose all that are shown"
                  checked={sources.every(({ uuid }) => chosen.value.includes(uuid))}
                  onChange={({ currentTarget: { checked } }) =>
                    (chosen.value = checked ? sources.map(({ uuid }) => uuid) : [])
                  }
                />
              )}
              Source
            </span>
          </th>
          <th scope="col">Status</th>
          <th scope="col" class="less">
            Changed
          </th>
          <th scope="col" class="less">
            Cited
          </th>
          <th scope="col" class="number less">
            Tokens
          </th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  </div>
);

interface RowProps extends Pick<TableProps, 'chatbot' | 'isTaggable' | 'chosen' | 'onChanged'> {
  source: DataSource;
  tags: SourceTag[];
  cited: CitedSource | undefined;
}

function Row({ chatbot, source, cited, tags, isTaggable, chosen, onChanged }: RowProps) {
  const { isBusy: isUnderWay, failure, run } = useAction();
  const { word, tone, advice } = statusWords(source);
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
      <td class="number less">{source.tokens.toLocaleString('en')}</td>
      <td class="end">
        <span class="tools">
          {source.type === 'link' && (
            <Button icon="again" isBusy={isUnderWay.value} onClick={() => void act(fetchAgain)}>
              Fetch again
            </Button>
          )}
          <Confirm
            label="Delete"
            confirmLabel="Delete"
            question={`Delete “${name}”?`}
            icon="remove"
            isBusy={isUnderWay.value}
            act={() => void act(deleteIt).then(focusHeading)}
          />
        </span>
      </td>
    </tr>
  );
}
