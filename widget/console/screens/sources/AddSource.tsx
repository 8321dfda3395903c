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
  const { isBusy, failure, run } = useAction();
  const base = `/api/v1/chatbot/${chatbot}/data-source`;
  const added = useSignal<Added[]>([]);
  const store = async (path: string, body: object): Promise<void> => {
    const made = await post<Added>(`${base}/${path}`, body, { isSlow: path === 'upload' });
    added.value = [...added.value, made];
  };
  const add = async (text: Texts, form: HTMLFormElement): Promise<void> => {
    added.value = [];
    if (kind.value === 'site') await store('site', siteRequest(text));
    else if (kind.value === 'page') await store('url', { url: siteAddress(text('url')).href });
    else if (kind.value === 'qa') await store('qa', { question: text('question'), answer: text('answer') });
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
  const submit = sent(async (text, form) => {
    const { value } = kind;
    // Another kind was chosen meanwhile: what stands there by then was not sent.
    if ((await run(() => add(text, form))) && kind.value === value) form.reset();
    onAdded();
  });
  return (
    <details class="add">
      <summary>Add a source</summary>
      <form noValidate={kind.value === 'site' || kind.value === 'page'} onSubmit={submit}>
        <fieldset>
          <legend class="hidden">What to add</legend>
          {Object.entries(KINDS).map(([value, word]) => (
            <label key={value} class="choice">
              <input
                type="radio"
                name="kind"
                value={value}
                checked={kind.value === value}
                onChange={() => {
                  kind.value = value as Kind;
                  failure.value = '';
                }}
              />
              {word}
            </label>
          ))}
        </fieldset>
        <Inputs kind={kind.value} failure={failure.value} />
        <Button kind="primary" type="submit" icon="add" isBusy={isBusy.value}>
          Add
        </Button>
        <p role="status" class="words">
          {added.value.length > 0 && `${added.value.length} added: `}
          {added.value.map(({ uuid, title, url }, at) => (
            <>
              {at > 0 && ', '}
              {title ? <a href={`/console/chatbot/${chatbot}/sources/${uuid}`}>{title}</a> : url}
            </>
          ))}
        </p>
      </form>
    </details>
  );
}

function Inputs({ kind, failure }: { kind: Kind; failure: string }) {
  if (kind === 'qa')
    return (
      <>
        <Field key="question" label="Question" name="question" />
        <Field key="answer" label="Answer" name="answer" rows={4} hint="It is quoted whole." failure={failure} />
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
  const address = (
    <Field
      key="url"
      label={kind === 'site' ? 'Where the site starts' : 'Address of the page'}
      name="url"
      type="url"
      placeholder="https://shop.example"
      hint={kind === 'site' ? 'Of https://shop.example/docs/, only pages under /docs/ are read.' : ''}
      failure={failure}
    />
  );
  if (kind === 'page') return address;
  return (
    <>
      {address}
      <details class="options">
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
