import { siteAddress } from '../../address.ts';
import { useRef } from 'preact/hooks';
import { AskForm } from './AskForm.tsx';
import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Failed, Field, Pending } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';
import { pauseOf, Seen, type SeenOn } from '../../parts/Seen.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useNext } from '../../leave.ts';
import { useLoad } from '../../parts/use-load.ts';
import { Answer } from '../../parts/Answer.tsx';
import type { Chatbot, Message, Site } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { count, siteBounds, siteFailure } from '../../words.ts';
import { chatbots } from '../../chatbots.ts';
import { loadTold } from '../../profile.ts';
import { readSite } from '../../site.ts';
import { scriptTag } from '../../snippets.ts';
import { publicAddress } from '../../account/account.ts';
import { may } from '../../account/membership.ts';
import { ask, get, post, remove } from '../../wire.ts';

/** Milliseconds between two looks while the site is read. */
const LOOK_MS = 700;
/** Looks once it has been read. */
const LAST_LOOKS = 10;

/** From a site that is being read to the first answer, and the snippet. */
export function Start({ chatbot }: { chatbot: string }) {
  const looksLeft = useRef(LAST_LOOKS);
  const loading = useLoad(
    chatbot,
    async (signal) => {
      const [sites, profile, record, seen] = await Promise.all([
        get<Site[]>(`/api/v1/chatbot/${chatbot}/data-source/sites`, signal),
        loadTold(chatbot, signal),
        get<Chatbot>(`/api/v1/chatbot/${chatbot}`, signal),
        get<SeenOn>(`/api/v1/chatbot/${chatbot}/widget/seen-on`, signal),
      ]);
      return {
        sites,
        suggestions: profile?.suggestions ?? [],
        isPrivate: record.meta.visibility === 'private',
        seen,
      };
    },
    ({ sites, suggestions, seen }) => {
      if (sites.some(isRunning)) return LOOK_MS;
      // They are chosen a moment after the last page; a small site has fewer than three.
      if (sites.length > 0 && suggestions.length < 3 && looksLeft.current-- > 0) return LOOK_MS;
      return pauseOf(seen);
    },
  );
  const { reload } = loading;
  const loaded = loading.data.value;
  return (
    <>
      <Pending of={loading} what="the site" />
      {loaded && (
        <ol class="steps">
          <li>
            <h2>{titleOf(loaded.sites)}</h2>
            {loaded.sites.length === 0 && (
              <p>
                No site has been read yet. <a href={`/console/chatbot/${chatbot}/sources`}>Add one</a>
              </p>
            )}
            {loaded.sites.filter(isShown).map((site) => (
              <Reading key={site.uuid} chatbot={chatbot} site={site} onCorrected={reload} />
            ))}
          </li>
          <li>
            <h2>Ask it something</h2>
            <FirstQuestion chatbot={chatbot} suggestions={loaded.suggestions} />
          </li>
          <li>
            <h2>Put it on your site</h2>
            {loaded.isPrivate && <Publish chatbot={chatbot} onDone={reload} />}
            <p>Paste this line into every page, before the end of its body.</p>
            <Snippet code={scriptTag(publicAddress(), chatbot)} />
            <Seen {...loaded.seen} />
          </li>
        </ol>
      )}
    </>
  );
}

/** What has become of the site. */
function titleOf(sites: Site[]): string {
  if (sites.length === 0) return 'Have your site read';
  if (sites.some(isRunning)) return 'Your site is being read';
  return sites.every(hasFailed) ? 'Your site could not be read' : 'Your site is read';
}

/** An address that was mistyped is of no use once another one is read. */
const isShown = (site: Site, at: number, all: Site[]): boolean => !hasFailed(site) || at === all.length - 1;

const hasFailed = ({ status }: Site): boolean => status.startsWith('error:');

const isRunning = ({ status }: Site): boolean => status === 'running';

interface ReadingProps {
  chatbot: string;
  site: Site;
  /** Called once another address is being read. */
  onCorrected: () => void;
}

function Reading({ chatbot, site, onCorrected }: ReadingProps) {
  const failed = site.failed > 0 ? `, ${site.failed} failed` : '';
  const bounds = siteBounds(site);
  if (hasFailed(site))
    return (
      <>
        <p class="failed">
          {site.url}: {siteFailure(site.status)}
        </p>
        <p>Correct the address, or mend the site and have the same address read once more.</p>
        <Correct chatbot={chatbot} site={site} onCorrected={onCorrected} />
      </>
    );
  return (
    <>
      <p role="status">
        {isRunning(site) && <span class="spinner" />} <strong>{site.url}</strong>: {count(site.done, 'page')} read of{' '}
        {site.found} found
        {failed}
      </p>
      <progress max={site.found || 1} value={site.done + site.failed} aria-label={`Pages of ${site.url} read`} />
      {bounds && <p>{bounds}</p>}
    </>
  );
}

/** For an address that cannot be read: another one in its place, or no chatbot at all. */
function Correct({ chatbot, site: { uuid, url, done }, onCorrected }: ReadingProps) {
  const next = useNext();
  const { isBusy, failure, run } = useAction();
  const removing = useAction();
  const submit = sent((text) =>
    run(async () => {
      const { uuid: right } = await readSite(chatbot, siteAddress(text('site')));
      // A mistyped address would stay among the sources as one that failed.
      if (right !== uuid && done === 0) await post(`/api/v1/chatbot/${chatbot}/data-source/site/${uuid}/delete`);
      onCorrected();
    }),
  );
  const removeAll = (): Promise<boolean> =>
    removing.run(async () => {
      await remove(`/api/v1/chatbot/${chatbot}/delete`);
      chatbots.value = undefined;
      next('/console/');
    });
  return (
    <form class="new" noValidate onSubmit={submit}>
      <Field label="The right address of your site" name="site" type="url" value={url} failure={failure.value} />
      <Button kind="primary" type="submit" isBusy={isBusy.value}>
        Read this address
      </Button>
      {may(chatbot, 'own') && (
        <Confirm
          label="Delete this chatbot"
          question="Delete it for good?"
          isBusy={removing.isBusy.value}
          act={() => void removeAll()}
        />
      )}
      <Failed failure={removing.failure} />
    </form>
  );
}

function FirstQuestion({ chatbot, suggestions }: { chatbot: string; suggestions: string[] }) {
  const query = useSignal('');
  const text = useSignal('');
  const citations = useSignal('{}');
  const { isBusy, failure, run } = useAction();
  const askQuestion = (question: string): Promise<boolean> =>
    run(async () => {
      query.value = question;
      text.value = '';
      citations.value = '{}';
      const session = await post<{ uuid: string }>(`/api/v1/chatbot/${chatbot}/session/create`, { dry_run: true });
      await ask(session.uuid, question, (piece) => (text.value += piece));
      const [message] = await get<Message[]>(`/api/v1/session/${session.uuid}/messages`);
      // It was made for this one question.
      await post(`/api/v1/session/${session.uuid}/delete`).catch(() => undefined);
      if (!message) throw new Error('The answer is gone: somebody deleted its conversation.');
      citations.value = message.cite_data_json;
      text.value = message.response;
    });
  return (
    <>
      {suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Questions that the site answers">
          {suggestions.map((one) => (
            <li key={one}>
              <Button onClick={() => void askQuestion(one)}>{one}</Button>
            </li>
          ))}
        </ul>
      )}
      <AskForm isBusy={isBusy.value} onAsk={askQuestion} />
      <Failed failure={failure} />
      {query.value && <Answer query={query.value} text={text} citations={citations.value} isWhole={!isBusy.value} />}
    </>
  );
}

/** The widget of a private chatbot answers no visitor. */
function Publish({ chatbot, onDone }: { chatbot: string; onDone: () => void }) {
  const { isBusy, failure, run } = useAction();
  const publish = async (): Promise<void> => {
    if (await run(() => post(`/api/v1/chatbot/${chatbot}/update`, { visibility: 'public' }))) onDone();
  };
  return (
    <>
      <p class="notice">
        This chatbot is private: visitors see its button and get no answer.{' '}
        {may(chatbot, 'own') ? (
          <Button isBusy={isBusy.value} onClick={() => void publish()}>
            Make it public
          </Button>
        ) : (
          'An owner makes it public in General.'
        )}
      </p>
      <Failed failure={failure} />
    </>
  );
}
