import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** What the page where the visitor stands does to an answer, over HTTP. */

const checkIn = (place: string): string =>
  `<title>Check-in</title><main><h1>Check-in</h1><p>The key is at the ${place}. The room is ready at three.</p></main>`;
const pages = {
  '/lyon/checkin': checkIn('bakery'),
  '/turin/checkin': checkIn('station'),
  '/graz/checkin.html': checkIn('town hall'),
  '/turin/': '<title>Turin</title><main><h1>Turin</h1><p>A flat near the river, with a balcony.</p></main>',
  '/pets': '<title>Pets</title><main><h1>Pets</h1><p>Dogs cost nine euros a night.</p></main>',
};
const ASKED = 'Where is the key?';

let fake: FakeModel;
let flats: Awaited<ReturnType<typeof site>>;
let running: Running;
let chatbot: string;

beforeAll(async () => {
  [fake, flats] = [await startFakeModel(), await site(pages)];
});
afterAll(async () => {
  await Promise.all([fake.close(), flats.close()]);
});

async function open(env: NodeJS.ProcessEnv = {}): Promise<void> {
  running = await start({ FETCH_ALLOW: flats.host, ...env });
  const body = { name: 'Flats', show_citations: true, visibility: 'public' };
  chatbot = (await running.api('POST', '/chatbot/create', body)).body.uuid;
  for (const path of Object.keys(pages))
    await running.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: flats.base + path });
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
}

const sessionOn = async (page?: unknown): Promise<string> => {
  const body = page === undefined ? {} : { initial_variables: { page } };
  return (await running.api('POST', `/chatbot/${chatbot}/session/create`, body)).body.uuid;
};
const ask = async (query: string, page?: unknown): Promise<string> =>
  (await running.api('POST', `/session/${await sessionOn(page)}/message/non-stream`, { query })).body.response;

describe('without a model', () => {
  beforeAll(() => open());
  afterAll(() => running.stop());

  it.each([
    ['lyon/checkin', 'bakery'],
    ['turin/checkin', 'station'],
    ['turin/checkin/?from=mail#key', 'station'],
    ['turin/', 'station'],
    ['turin/rooms', 'station'],
    ['graz/checkin', 'town hall'],
  ])('the passage of the page /%s, or of its folder, alone is quoted', async (path, place) => {
    for (const page of [`${flats.base}/${path}`, `/${path}`]) {
      const answer = await ask(ASKED, page);
      expect(answer).toContain(place);
      for (const other of ['bakery', 'station', 'town hall'].filter((one) => one !== place))
        expect(answer).not.toContain(other);
    }
  });

  it('an ask of the widget in a later page counts before the page of the first', async () => {
    const post = async (session: string | undefined, page: string): Promise<string> => {
      const reply = await fetch(`${running.base}/chat/${chatbot}/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: ASKED, session, variables: { page } }),
      });
      return reply.text();
    };
    const first = await post(undefined, `${flats.base}/turin/checkin`);
    expect(first).toContain('station');
    const session = JSON.parse(/event: session\ndata: (.*)/.exec(first)![1]!).uuid;
    expect(await post(session, `${flats.base}/graz/checkin.html`)).toContain('town hall');
  });

  it('another page that answers wins all the same, and what is no address changes nothing', async () => {
    expect(await ask('What do dogs cost?', `${flats.base}/turin/checkin`)).toContain('nine euros');
    const plain = await ask(ASKED);
    for (const page of ['', 'turin', 7, 'javascript:alert(1)', '//', 'http://[', `/${'a/'.repeat(400)}`])
      expect(await ask(ASKED, page)).toBe(plain);
    expect(await ask(ASKED, 'https://other.example/turin/checkin')).toBe(plain);
  });

  it('the trace has its part of the score', async () => {
    const trace = async (page?: string) =>
      (await running.api('POST', `/session/${await sessionOn(page)}/message/trace`, { query: ASKED })).body;
    const { candidates } = (await trace(`${flats.base}/turin/checkin`)).search;
    expect(candidates[0].address).toMatch(/turin\/checkin$/);
    const { page, ...others } = candidates[0].parts;
    expect(page).toBeCloseTo(0.03 * (candidates[0].score - page), 3);
    expect(page + Object.values<number>(others).reduce((sum, part) => sum + part, 0)).toBeCloseTo(
      candidates[0].score,
      2,
    );
    expect(candidates[1].parts.page).toBe(0);
    for (const one of (await trace()).search.candidates) expect(one.parts.page).toBe(0);
  });
});

describe('with a model', () => {
  beforeAll(() => open({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1' }));
  beforeEach(() => fake.requests.splice(0));
  afterAll(() => running.stop());

  it.each(['lyon', 'turin'])('the passage of the page in %s comes first', async (town) => {
    await ask(ASKED, `${flats.base}/${town}/checkin`);
    expect(fake.requests.at(-1)!.body.messages[0]!.content).toMatch(new RegExp(`^\\[1\\] .*/${town}/checkin`, 'm'));
  });
});
