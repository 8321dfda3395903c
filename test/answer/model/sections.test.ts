import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** Passages that a model gets besides those that were found: the rest of their sections. */

const STEPS = [
  'Switch the lamp off at the wall and let the bulb cool down for ten minutes.',
  'Turn the glass shade to the left until the three pins come out of their grooves.',
  'Take the starter of the Lumo lamp out with a quarter turn.',
  'Push a fresh one of the same wattage in and turn it back.',
];
/** Long enough to be passages of their own. */
const long = (step: string): string =>
  `<p>${step} ${'Nobody has to hurry with this, and no tools are needed. '.repeat(16)}</p>`;
const pages = {
  '/repair': `<title>Repair</title><main><h1>Repair</h1><h2>Change a starter</h2>${STEPS.map(long).join('')}
    <h2>Recycling</h2>${long('Old glass goes to the container of the town.')}</main>`,
};
const QUERY = 'How do I take out the starter of the Lumo lamp?';

let fake: FakeModel;
let lamps: Awaited<ReturnType<typeof site>>;
let running: Running;
let chatbot: string;

beforeAll(async () => {
  [fake, lamps] = [await startFakeModel(), await site(pages)];
  running = await start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'fake-1', FETCH_ALLOW: lamps.host });
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Lamps', show_citations: true })).body.uuid;
  await running.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: `${lamps.base}/repair` });
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source?.status === 'success');
});
afterAll(async () => {
  await running.stop();
  await Promise.all([fake.close(), lamps.close()]);
});
beforeEach(() => {
  fake.requests.length = 0;
});

async function ask() {
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  await running.api('POST', `/session/${session}/message/non-stream`, { query: QUERY });
  const [message] = (await running.api('GET', `/session/${session}/messages`)).body;
  return { system: fake.requests[0]!.body.messages[0]!.content, message };
}

/** The number of the passage in which a step stands. */
const numberOf = (system: string, step: string): string => {
  const before = system.slice(0, system.indexOf(step));
  return Array.from(before.matchAll(/^\[(\d+)\] /gm)).at(-1)![1]!;
};

it('a section is given whole and in its order, each passage once, with its title and address', async () => {
  const { system } = await ask();
  const places = STEPS.map((step) => system.indexOf(step));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  for (const step of STEPS) expect(system.split(step)).toHaveLength(2);
  const heads = system.match(/^\[\d+\] .*$/gm)!;
  expect(heads.filter((head) => head.includes('Change a starter')).length).toBeGreaterThan(1);
  expect(heads.every((head) => head.includes(`(${lamps.base}/repair)`))).toBe(true);
});

it('the best passage has the number 1, and the marker of one beside it cites that one', async () => {
  const { system } = await ask();
  expect(numberOf(system, STEPS[2]!)).toBe('1');
  const [best, beside] = [numberOf(system, STEPS[2]!), numberOf(system, STEPS[0]!)];
  expect(beside).not.toBe(best);
  fake.next({ pieces: [`${STEPS[2]} [${best}] ${STEPS[0]} [${beside}] ${STEPS[1]} [${best}]`] });
  const { message } = await ask();
  expect(message.response).toBe(`${STEPS[2]} [${best}] ${STEPS[0]} [${beside}] ${STEPS[1]}`);
  const cited = JSON.parse(message.cite_data_json);
  expect(Object.keys(cited).sort()).toEqual([best, beside].sort());
  expect(cited[best].text).toContain(STEPS[2]);
  expect(cited[beside].text).toContain(STEPS[0]);
});
