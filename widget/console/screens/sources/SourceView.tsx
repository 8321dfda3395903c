import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Empty, Failed, Pending } from '../../parts/controls.tsx';
import { useSubject } from '../../parts/Frame.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useNext } from '../../leave.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { DataSource, Site, SourceText } from '../../records.ts';
import { ago, count, statusWords, TYPES } from '../../words.ts';
import { get, post } from '../../wire.ts';
import { Address } from './Address.tsx';
import { EditAnswer } from './EditAnswer.tsx';

/** Milliseconds between two looks while it is read. */
const LOOK_MS = 1500;

interface Props {
  chatbot: string;
  source: string;
}

/** One source: its status, what its last change was, and the text that answers quote. */
export function SourceView({ chatbot, source }: Props) {
  const loading = useLoad(
    source,
    async (signal) => {
      const path = `/api/v1/data-source/${source}`;
      const [record, text, sites] = await Promise.all([
        get<DataSource>(path, signal),
        get<SourceText>(`${path}/text`, signal),
        get<Site[]>(`/api/v1/chatbot/${chatbot}/data-source/sites`, signal),
      ]);
      return { record, text, isOfSite: sites.some((site) => isBelow(record, site)) };
    },
    ({ record }) => (statusWords(record).tone === 'busy' ? LOOK_MS : 0),
  );
  const { record, text, isOfSite = false } = loading.data.value ?? {};
  useSubject(record ? record.title || record.file_name : '');
  return (
    <>
      <a class="back" href={`/console/chatbot/${chatbot}/sources`}>
        <Icon name="back" /> All sources
      </a>
      <Pending of={loading} what="the source" />
      {record && <Facts chatbot={chatbot} record={record} isOfSite={isOfSite} onChanged={loading.reload} />}
      {record?.type === 'qa' && <EditAnswer key={record.uuid} record={record} onChanged={loading.reload} />}
      {text && <LastChange change={text.last_change} />}
      {text && text.passages.length === 0 && (
        <Empty title="No text">Nothing can be quoted from this source as long as it has no text.</Empty>
      )}
      {text && text.passages.length > 0 && <Passages passages={text.passages} />}
    </>
  );
}

/** Whether a crawl of the site may find the source. */
const isBelow = ({ type, file_name }: DataSource, { url }: Site): boolean =>
  type === 'link' && URL.canParse(file_name) && new URL(file_name).host === new URL(url).host;

interface FactsProps {
  chatbot: string;
  record: DataSource;
  isOfSite: boolean;
  onChanged: () => void;
}

function Facts({ chatbot, record, isOfSite, onChanged }: FactsProps) {
  const next = useNext();
  const { isBusy, failure, run } = useAction();
  const { word, tone, advice } = statusWords(record);
  const fetchAgain = async (): Promise<void> => {
    if (await run(() => post('/api/v1/data-sources/url/re-scrape', { uuids: [record.uuid] }))) onChanged();
  };
  const remove = async (how: 'delete' | 'exclude'): Promise<void> => {
    if (await run(() => post(`/api/v1/data-source/${record.uuid}/${how}`))) next(`/console/chatbot/${chatbot}/sources`);
  };
  return (
    <>
      <p>
        <span class={`badge ${tone}`}>{word}</span>{' '}
        {record.type === 'link' ? <Address url={record.file_name} /> : record.file_name || TYPES[record.type]}
      </p>
      {advice && <p class="hint">{advice}</p>}
      <p class="muted">
        {record.type === 'link' ? 'Fetched' : 'Changed'} {ago(record.modified_at)} · {count(record.tokens, 'token')}
      </p>
      <p class="tools">
        {record.type === 'link' && (
          <Button icon="again" isBusy={isBusy.value} onClick={() => void fetchAgain()}>
            Fetch again
          </Button>
        )}
        {isOfSite && (
          <Confirm
            label="Exclude"
            question="Delete it, and leave it out when the site is read again?"
            isBusy={isBusy.value}
            act={() => void remove('exclude')}
          />
        )}
        <Confirm
          label="Delete"
          question={isOfSite ? 'Delete it until the site is read again?' : 'Delete it?'}
          isBusy={isBusy.value}
          act={() => void remove('delete')}
        />
      </p>
      <Failed failure={failure} />
    </>
  );
}

function LastChange({ change }: { change: SourceText['last_change'] }) {
  if (!change.at) return null;
  const more = change.added - change.added_lines.length + (change.removed - change.removed_lines.length);
  return (
    <section class="change">
      <h2>What changed {ago(change.at)}</h2>
      <ul>
        {change.removed_lines.map((line, at) => (
          <li key={`removed ${at}`}>
            <span class="badge bad">Removed</span> <del>{line}</del>
          </li>
        ))}
        {change.added_lines.map((line, at) => (
          <li key={`added ${at}`}>
            <span class="badge good">Added</span> <ins>{line}</ins>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted">… and {count(more, 'line')} more.</p>}
    </section>
  );
}

const Passages = ({ passages }: Pick<SourceText, 'passages'>) => (
  <section class="passages">
    <h2>{count(passages.length, 'passage')}</h2>
    <ol>
      {passages.map(({ headings, text }, at) => (
        <li key={at}>
          {headings.length > 0 && <p class="muted">{headings.join(' › ')}</p>}
          <p class="whole">{text}</p>
        </li>
      ))}
    </ol>
  </section>
);
