import { afterEach, expect, it } from 'vitest';
import { start, until, type Running } from '../running.ts';
import { listen } from '../web/listener.ts';

let docent: Running | undefined;
afterEach(async () => docent?.stop());

it('the user agent of a fetch links to a page about DocentBot', async () => {
  const agents: string[] = [];
  const site = await listen((request, response) => {
    agents.push(request.headers['user-agent']!);
    response.setHeader('content-type', 'text/plain').end('The museum opens at nine.');
  });
  docent = await start({ FETCH_ALLOW: `127.0.0.1:${site.port}`, PUBLIC_URL: 'https://chat.example.com' });
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Museum' })).body.uuid as string;
  const added = await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: `${site.origin}/` });
  expect(added.status).toBe(200);
  await until(
    async () => agents,
    ({ length }) => length === 1,
  );
  await site.close();
  const [, link] = /^DocentBot\/[\d.]+ \(\+(https:.*)\)$/.exec(agents[0]!)!;
  const page = await fetch(docent.base + new URL(link!).pathname);
  expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await page.text()).toMatch(/^DocentBot reads pages .*User-agent: DocentBot\nDisallow: \/\n$/s);
  expect((await fetch(`${docent.base}/bot`, { method: 'POST' })).status).toBe(405);
});
