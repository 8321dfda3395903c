import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Failed, Field } from '../../parts/controls.tsx';
import { sent, typed } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import type { Site } from '../../records.ts';
import { count, siteBounds, siteFailure } from '../../words.ts';
import { post } from '../../wire.ts';
import { Address } from './Address.tsx';

interface Props {
  chatbot: string;
  sites: Site[];
  onChanged: () => void;
}

/** What the last crawl of each site found, and what it leaves out. */
export const Sites = ({ chatbot, sites, onChanged }: Props) => (
  <>
    {sites.map((site) => (
      <SiteDetails key={site.uuid} chatbot={chatbot} site={site} onChanged={onChanged} />
    ))}
  </>
);

function SiteDetails({ chatbot, site, onChanged }: Omit<Props, 'sites'> & { site: Site }) {
  const { isBusy, failure, run } = useAction();
  const act = async (request: () => Promise<unknown>): Promise<void> => {
    if (await run(request)) onChanged();
  };
  const { uuid, url, max_pages, include, exclude, excluded_pages, dead_links, dead_links_total } = site;
  const base = `/api/v1/chatbot/${chatbot}/data-source/site`;
  const isRunning = site.status === 'running';
  const readAgain = sent(
    (text) =>
      isRunning || act(() => post(base, { url, max_pages: typed('number', text('max_pages')), include, exclude })),
  );
  const paths = [
    include.length > 0 && `Only ${include.join(', ')}.`,
    exclude.length > 0 && `Not ${exclude.join(', ')}.`,
  ];
  const more = dead_links_total - dead_links.length;
  return (
    <details class="add">
      <summary>
        {url}: {summaryOf(site)} <span class="muted">{siteBounds(site)}</span>
      </summary>
      <form noValidate onSubmit={readAgain}>
        <Field
          label="Pages at most"
          name="max_pages"
          value={String(max_pages)}
          hint={paths.filter(Boolean).join(' ')}
        />
        <Button type="submit" icon="again" isBusy={isBusy.value || isRunning}>
          Read the site again
        </Button>
      </form>
      <div class="inside">
        <p>
          <Confirm
            label="Delete the site"
            question={`Delete it with its ${count(site.pages, 'page')}?`}
            isBusy={isBusy.value}
            act={() => void act(() => post(`${base}/${uuid}/delete`))}
          />
        </p>
        <Failed failure={failure} />
        {excluded_pages.length > 0 && (
          <>
            <h2>Excluded pages</h2>
            <ul class="pages">
              {excluded_pages.map((page) => (
                <li key={page}>
                  <Address url={page} />{' '}
                  <Button
                    isBusy={isBusy.value}
                    onClick={() => void act(() => post(`${base}/${uuid}/include`, { page }))}
                  >
                    Include again
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
        {dead_links.length > 0 && (
          <>
            <h2>Dead links</h2>
            <ul class="pages">
              {dead_links.map((link) => (
                <li key={link.url}>
                  <Address url={link.url} /> <span class="muted">on {link.found_on}</span>
                </li>
              ))}
              {more > 0 && <li class="muted">… and {count(more, 'link')} more.</li>}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}

function summaryOf({ found, status, done, failed, excluded_pages, dead_links_total }: Site): string {
  if (status.startsWith('error:')) return siteFailure(status);
  if (status === 'running') return `being read, ${count(found, 'page')} found`;
  const parts = [
    count(done, 'page'),
    failed > 0 && `${failed} failed`,
    excluded_pages.length > 0 && `${excluded_pages.length} excluded`,
    dead_links_total > 0 && count(dead_links_total, 'dead link'),
    status === 'stopped' && 'stopped',
  ];
  return parts.filter(Boolean).join(', ');
}
