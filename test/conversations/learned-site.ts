import { site, start, until, type Running } from '../running.ts';

/** A server with one chatbot that has learned some pages, without a model. */
export interface LearnedSite extends Pick<Running, 'base' | 'api'> {
  chatbot: string;
  stop(): Promise<void>;
}

/** `pages`: HTML by path. `settings`: of the chatbot; it shows citations. Rejects where a page is not learned in 40 seconds. */
export async function learnPages(pages: Record<string, string>, settings: object = {}): Promise<LearnedSite> {
  const served = await site(pages);
  const docent = await start({ FETCH_ALLOW: served.host });
  const created = await docent.api('POST', '/chatbot/create', { name: 'Desk', show_citations: true, ...settings });
  const chatbot: string = created.body.uuid;
  for (const path of Object.keys(pages))
    await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: served.base + path });
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
  return {
    base: docent.base,
    api: docent.api,
    chatbot,
    async stop() {
      await docent.stop();
      await served.close();
    },
  };
}
