import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { siteAddress } from '../../address.ts';
import { Button, Field } from '../../parts/controls.tsx';
import { sent, typed, type Texts } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import type { DataSource, Site } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { linesOf } from '../../words.ts';
import { post } from '../../wire.ts';

const KINDS = { site: 'A website', page: 'One page', file: 'Files', qa: 'A question and its answer' };
type Kind = keyof typeof KINDS;

/** What the upload of /api/v1 reads. */
const FORMATS = '.txt,.md,.markdown,.tex,.html,.htm,.pdf,.docx,.csv,.xlsx';

/** What is not filled in is left to the server. */
function siteRequest(text: Texts): object {
  const most = text('max_pages');
  return {
    url: siteAddress(text('url')).href,
    ...(most && { max_pages: typed('number', most) }),
    include: linesOf(text('include')),
    exclude: linesOf(text('exclude')),
  };
}

/** A source has a title, a site an address. */
type Added = Partial<Pick<DataSource, 'title'> & Pick<Site, 'url'>> & { uuid: string };

const PATHS_HINT = 'One a line: a beginning such as /blog, or a pattern such as /*/archive/* in which * is anything.';

/** Adds a website, a page, files or an answer; `onAdded` is called once the server has stored it. */
export function AddSource({ chatbot, onAdded }: { chatbot: string; onAdded: () => void }) {
  const kind = useSignal<Kind>('site');
  const added = useSignal<Added[]>([]);
  const sending = useRef(0);
  // What was typed of one kind stays while another is chosen; a website and a page have one address, and a failure each.
  const forms: Kind[] = [kind.value === 'page' ? 'page' : 'site', 'file', 'qa'];
  return (
    <details class="add">
      <summary>Add a source</summary>
      <div class="inside">
        <fieldset>
          <legend class="hidden">What to add</legend>
          {Object.entries(KINDS).map(([value, word]) => (
            <label key={value} class="choice">
              <input
                type="radio"
                name="kind"
                value={value}
                checked={kind.value === value}
                onChange={() => (kind.value = value as Kind)}
              />
              {word}
            </label>
          ))}
        </fieldset>
        {forms.map((one, at) => (
          <AddForm
            key={at}
            chatbot={chatbot}
            kind={one}
            isHidden={one !== kind.value}
            added={added}
            sending={sending}
            onAdded={onAdded}
          />
        ))}
        <p role="status" class="words">
          {added.value.length > 0 && `${added.value.length} added: `}
          {added.value.map(({ uuid, title, url }, at) => (
            <>
              {at > 0 && ', '}
              {title ? <a href={`/console/chatbot/${chatbot}/sources/${uuid}`}>{title}</a> : url}
            </>
          ))}
        </p>
      </div>
    </details>
  );
}

interface AddFormProps {
  chatbot: string;
  kind: Kind;
  isHidden: boolean;
  /** What was added last, by all forms that were being sent at once. */
  added: Signal<Added[]>;
  /** Forms that are being sent. */
  sending: { current: number };
  onAdded: () => void;
}

function AddForm({ chatbot, kind, isHidden, added, sending, onAdded }: AddFormProps) {
  const { isBusy, failure, run } = useAction();
  const [latest, sentKind] = [useRef(kind), useRef(kind)];
  latest.current = kind;
  const base = `/api/v1/chatbot/${chatbot}/data-source`;
  const store = async (path: string, body: object): Promise<void> => {
    const made = await post<Added>(`${base}/${path}`, body, { isSlow: path === 'upload' });
    added.value = [...added.value, made];
  };
  const add = async (text: Texts, form: HTMLFormElement): Promise<void> => {
    if (kind === 'site') await store('site', siteRequest(text));
    else if (kind === 'page') await store('url', { url: siteAddress(text('url')).href });
    else if (kind === 'qa') await store('qa', { question: text('question'), answer: text('answer') });
    else await uploadAll(form.querySelector<HTMLInputElement>('[type=file]')!);
  };
  /** One that fails keeps no other from being added, and is all that stays in the field. */
  const uploadAll = async (input: HTMLInputElement): Promise<void> => {
    const failed: string[] = [];
    const left = new DataTransfer();
    for (const file of input.files!) {
      const form = new FormData();
      form.set('file', file);
      await store('upload', form).catch((error: Error) => {
        failed.push(`${file.name}: ${error.message}`);
        left.items.add(file);
      });
    }
    input.files = left.files;
    if (failed.length > 0) throw new Error(failed.join(' '));
  };
  const send = async (text: Texts, form: HTMLFormElement): Promise<void> => {
    sentKind.current = kind;
    // What a form that is still being sent has added stays in sight.
    if (sending.current++ === 0) added.value = [];
    await add(text, form).finally(() => sending.current--);
  };
  const submit = sent(async (text, form) => {
    // Of a website and a page, which share a form, the other may have been chosen meanwhile: what stands there by then was not sent.
    if ((await run(() => send(text, form))) && latest.current === kind) form.reset();
    onAdded();
  });
  return (
    <form hidden={isHidden} noValidate={kind === 'site' || kind === 'page'} onSubmit={submit}>
      <Inputs kind={kind} failure={sentKind.current === kind ? failure.value : ''} />
      <Button kind="primary" type="submit" icon="add" isBusy={isBusy.value}>
        Add
      </Button>
    </form>
  );
}

function Inputs({ kind, failure }: { kind: Kind; failure: string }) {
  if (kind === 'qa')
    return (
      <>
        <Field label="Question" name="question" />
        <Field label="Answer" name="answer" rows={4} hint="It is quoted whole." failure={failure} />
      </>
    );
  if (kind === 'file')
    return (
      <div class="field drop">
        <label>
          Files
          <input type="file" name="file" multiple required accept={FORMATS} />
        </label>
        <p class="hint">Text, Markdown, LaTeX, HTML, PDF, Word, CSV and Excel; drop them here or choose them.</p>
        <p class="failure" role="alert">
          {failure}
        </p>
      </div>
    );
  const isSite = kind === 'site';
  return (
    <>
      <Field
        label={isSite ? 'Where the site starts' : 'Address of the page'}
        name="url"
        type="url"
        placeholder="https://shop.example"
        hint={isSite ? 'Of https://shop.example/docs/, only pages under /docs/ are read.' : ''}
        failure={failure}
      />
      <details class="options" hidden={!isSite}>
        <summary>Which pages</summary>
        <Field label="Only these paths" name="include" rows={2} isRequired={false} hint={PATHS_HINT} />
        <Field label="Not these paths" name="exclude" rows={2} isRequired={false} hint={PATHS_HINT} />
        <Field
          label="Pages at most"
          name="max_pages"
          isRequired={false}
          hint="1 to 2,000; 200 unless you say otherwise."
        />
      </details>
    </>
  );
}
