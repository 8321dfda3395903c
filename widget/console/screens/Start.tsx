import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { AskForm } from '../parts/AskForm.tsx';
import { Button, Failed, Loading } from '../parts/controls.tsx';
import { Frame } from '../parts/Frame.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoad } from '../parts/use-load.ts';
import { Answer } from '../parts/Answer.tsx';
import type { Chatbot, Message, Site } from '../records.ts';
import type { ChatbotProfile } from '../../../server/types.ts';
import { count, siteFailure } from '../words.ts';
import { ask, Failure, get, post } from '../wire.ts';

/** Milliseconds between two looks while the site is read. */
const LOOK_MS = 700;
/** Looks once it has been read. */
const LAST_LOOKS = 10;

/** From a site that is being read to the first answer, and the snippet. */
export function Start({ chatbot }: { chatbot: string }) {
  const looksLeft = useRef(LAST_LOOKS);
  const { data, failure, reload } = useLoad(
    chatbot,
    async (signal) => {
      const [sites, profile, record] = await Promise.all([
        get<Site[]>(`/api/v1/chatbot/${chatbot}/data-source/sites`, signal),
        // A private one has no public profile.
        get<ChatbotProfile>(`/chat/${chatbot}`, signal).catch((error: unknown) => {
          if (error instanceof Failure && error.status === 404) return undefined;
          throw error;
        }),
        get<Chatbot>(`/api/v1/chatbot/${chatbot}`, signal),
      ]);
      return { sites, suggestions: profile?.suggestions ?? [], isPrivate: record.meta.visibility === 'private' };
    },
    ({ sites, suggestions }) => {
      if (sites.some(isRunning)) return LOOK_MS;
      // They are chosen a moment after the last page; a small site has fewer than three.
      return sites.length > 0 && suggestions.length < 3 && looksLeft.current-- > 0 ? LOOK_MS : 0;
    },
  );
  const loaded = data.value;
  return (
    <Frame chatbot={chatbot} title="Start">
      <Failed failure={failure} again={reload} />
      {!loaded && !failure.value && <Loading what="the site" />}
      {loaded && (
        <ol class="steps">
          <li>
            <h2>Your site is read</h2>
            {loaded.sites.length === 0 && (
              <p>
                No site has been read yet. <a href={`/console/chatbot/${chatbot}/sources`}>Add one</a>
              </p>
            )}
            {loaded.sites.map((site) => (
              <Reading key={site.uuid} chatbot={chatbot} site={site} />
            ))}
          </li>
          <li>
            <h2>Ask it something</h2>
            <FirstQuestion chatbot={chatbot} suggestions={loaded.suggestions} />
          </li>
          <li>
            <h2>Put it on your site</h2>
            {loaded.isPrivate && <Publish chatbot={chatbot} onDone={reload} />}
            <Snippet chatbot={chatbot} />
          </li>
        </ol>
      )}
    </Frame>
  );
}

const isRunning = ({ status }: Site): boolean => status === 'running';

function Reading({ chatbot, site }: { chatbot: string; site: Site }) {
  const failed = site.failed > 0 ? `, ${site.failed} failed` : '';
  if (site.status.startsWith('error:'))
    return (
      <p class="failed">
        {site.url}: {siteFailure(site.status)} <a href={`/console/chatbot/${chatbot}/sources`}>Add another address</a>
      </p>
    );
  return (
    <>
      <p role="status">
        {isRunning(site) && <span class="spinner" />} <strong>{site.url}</strong>: {count(site.done, 'page')} read of{' '}
        {site.found} found
        {failed}
      </p>
      <progress max={site.found || 1} value={site.done + site.failed} aria-label={`Pages of ${site.url} read`} />
    </>
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

/** The widget of a private chatbot shows nothing to visitors. */
function Publish({ chatbot, onDone }: { chatbot: string; onDone: () => void }) {
  const { isBusy, failure, run } = useAction();
  const publish = async (): Promise<void> => {
    if (await run(() => post(`/api/v1/chatbot/${chatbot}/update`, { visibility: 'public' }))) onDone();
  };
  return (
    <>
      <p class="notice">
        This chatbot is private: visitors see nothing of it.{' '}
        <Button isBusy={isBusy.value} onClick={() => void publish()}>
          Make it public
        </Button>
      </p>
      <Failed failure={failure} />
    </>
  );
}

function Snippet({ chatbot }: { chatbot: string }) {
  const isCopied = useSignal(false);
  const { failure, run } = useAction();
  const tag = `<script async src="${location.origin}/embed.js" data-chatbot="${chatbot}"></script>`;
  const copy = async (): Promise<void> => {
    isCopied.value = await run(() =>
      navigator.clipboard.writeText(tag).catch(() => {
        throw new Error('This browser does not let the page copy: select the line and copy it.');
      }),
    );
  };
  return (
    <>
      <p>Paste this line into every page, before the end of its body.</p>
      <pre class="snippet" tabIndex={0}>
        <code>{tag}</code>
      </pre>
      <Button icon={isCopied.value ? 'check' : 'snippet'} onClick={() => void copy()}>
        {isCopied.value ? 'Copied' : 'Copy the snippet'}
      </Button>
      <Failed failure={failure} />
    </>
  );
}
