import { afterEach, expect, it } from 'vitest';
import { startFakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** A wish for a person at sites that name their contact page in a language of their own, or have none. */

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function shop(pages: Record<string, string>, env: object = {}): Promise<{ docent: Running; chatbot: string }> {
  const served = await site(pages);
  const docent = await start({ FETCH_ALLOW: served.host, ...env });
  closing.push(served.close, docent.stop);
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  for (const path of Object.keys(pages)) {
    await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: served.base + path });
  }
  await until(
    () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body),
    (all: { status: string }[]) => all.every(({ status }) => status === 'success'),
  );
  return { docent, chatbot };
}

async function ask({ docent, chatbot }: Awaited<ReturnType<typeof shop>>, query: string): Promise<string> {
  const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body;
  return (await docent.api('POST', `/session/${uuid}/message/non-stream`, { query })).body.response;
}

it('finds the contact page of a site in a third language', async () => {
  const docent = await shop({
    '/': '<html lang="fi"><title>Lamput</title><main><h1>Lamput</h1><p>Palautusaika on kolmekymmentä päivää.</p></main>',
    '/yhteys':
      '<html lang="fi"><title>Yhteystiedot</title><main><h1>Yhteystiedot</h1><p>Puhelin +358 9 123 4567.</p></main>',
  });
  expect(await ask(docent, '人間と話したいです')).toContain('/yhteys)');
});

it('asks for few embeddings where a site has no contact page', async () => {
  const model = await startFakeModel();
  closing.push(model.close);
  const docent = await shop(
    { '/': '<title>Lamps</title><main><h1>Lamps</h1><p>You may return a lamp within 30 days.</p></main>' },
    { EMBED_BASE_URL: model.baseUrl, EMBED_MODEL: 'fake-embed' },
  );
  const before = model.embedRequests.length;
  await ask(docent, 'Can I talk to a human, please?');
  expect(model.embedRequests.length - before).toBeLessThanOrEqual(4);
});
