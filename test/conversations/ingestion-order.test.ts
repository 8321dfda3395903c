import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages as demoPages } from '../../demo/pages.ts';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { readConversationFiles } from '../../server/conversations/files.ts';
import { runConversations } from '../../server/conversations/run.ts';
import type { Chatbot } from '../../server/schema/records.ts';
import { site, start, type Running } from '../running.ts';

/** Two servers that ingested the same pages, each in an order of its own, give the same answers. */

const DEMO = ['index', 'shipping', 'returns', 'warranty', 'payments', 'about', 'contact'].map((name) => `${name}.html`);
const MODELS = ['Ash', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Hazel', 'Larch'];
const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title></head><body><main><h1>${title}</h1>${text}</main></body></html>`;

/** Pages that differ in a word or two, so that many passages score the same; with words one slip from each other. */
const PAGES: Record<string, string> = {
  ...Object.fromEntries(DEMO.map((name) => [`/${name}`, demoPages[name]!])),
  ...Object.fromEntries(
    MODELS.map((name) => [
      `/chair-${name.toLowerCase()}.html`,
      page(`The ${name} chair`, `<p>The ${name} chair has four legs. It is made of ${name} and folds flat.</p>`),
    ]),
  ),
  '/a.html': page('Lathes', '<p>The lathe stands in the hall. Ask for the key of the plane.</p>'),
  '/b.html': page('Plates', '<p>The plate stands in the hall. Ask for the key of the crane.</p>'),
  '/c.html': page('Planes', '<p>The slate stands in the hall. Ask for the key of the plank.</p>'),
  '/de.html': page(
    'Stühle',
    '<p>Der Stuhl hat vier Beine und ist aus Holz. Er steht in der Halle und ist nicht teuer.</p>',
  ),
  '/fr.html': page('Chaises', '<p>La chaise a quatre pieds. Elle est en bois et elle se trouve dans le hall.</p>'),
};

const QUESTIONS = [
  'Which chair folds flat?',
  'How many legs has a chair?',
  'chair legs',
  'folds flat',
  'What is the chair made of?',
  'What stands in the hall?',
  'Whose key is it that I ask for?',
  'platte',
  'Where is the plant?',
  'Where is the slatte?',
  'Wo steht der Stuhl?',
  'Où se trouve la chaise ?',
  'hall',
];

type Order = (paths: string[]) => string[];

const ORDERS: [name: string, isAtOnce: boolean, Order][] = [
  ['in order', false, (paths) => paths],
  ['backwards', false, (paths) => paths.toReversed()],
  ['all at once', true, (paths) => [0, 1, 2].flatMap((rest) => paths.filter((_, at) => at % 3 === rest))],
];

describe('the same pages in any order', () => {
  let running: Running;
  let web: Awaited<ReturnType<typeof site>>;
  let questions: string[];
  beforeAll(async () => {
    web = await site(PAGES);
    running = await start({ FETCH_ALLOW: web.host });
    const tables = ['test/conversations/table.yaml', 'test/conversations/never-tuned-on.yaml'];
    const files = (await Promise.all(tables.map(readConversationFiles))).flat();
    const turns = files.flatMap(({ conversations }) => conversations.flatMap((one) => one.turns));
    questions = [...QUESTIONS, ...turns.map(({ ask }) => ask)];
  });
  afterAll(async () => {
    await running.stop();
    await web.close();
  });

  async function learn(isAtOnce: boolean, paths: string[]): Promise<string> {
    const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Shop', show_citations: true })).body;
    const create = (path: string) =>
      running.api('POST', `/chatbot/${uuid}/data-source/url`, { url: `${web.base}${path}` });
    const learned = async (count: number): Promise<void> => {
      for (;;) {
        const sources = (await running.api('GET', `/chatbot/${uuid}/data-sources`)).body as { status: string }[];
        if (sources.filter(({ status }) => status === 'success').length === count) return;
        await new Promise((done) => setTimeout(done, 20));
      }
    };
    if (isAtOnce) await Promise.all(paths.map(create));
    else for (const [at, path] of paths.entries()) await create(path).then(() => learned(at + 1));
    await learned(paths.length);
    return uuid;
  }

  async function answers(chatbot: string): Promise<unknown[]> {
    const { call } = await new Client(connectToSocket(running.dataDir)).api(chatbot);
    const record = await call<Chatbot>('GET', `/api/v1/chatbot/${chatbot}`);
    const conversations = questions.map((ask, line) => ({ name: ask, line, turns: [{ ask, line }] }));
    const judged = await runConversations([{ name: 'questions', conversations }], {
      door: async () => ({ call, chatbot: record }),
    });
    return judged.flatMap(({ turns }) =>
      turns.map(({ held: { turn, reply } }) => {
        const cited = Object.entries(reply!.citations);
        const citations = cited.map(([marker, { title, file_name }]) => [marker, title, file_name]);
        return { query: turn.ask, answer: reply!.answer, citations };
      }),
    );
  }

  it('gives the same answers with the same citations', async () => {
    const found: [name: string, unknown[]][] = [];
    for (const [name, isAtOnce, order] of ORDERS)
      found.push([name, await answers(await learn(isAtOnce, order(Object.keys(PAGES))))]);
    const [[, first] = ['', []]] = found;
    expect(first.length).toBeGreaterThan(100);
    for (const [name, others] of found) expect(others, name).toEqual(first);
  });
});
