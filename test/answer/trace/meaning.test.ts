import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** What likeness of meaning does to an answer without a model, over HTTP. */

const SUBJECTS =
  'kettle ladder mirror pencil basket candle drawer hammer jacket pillow saddle tunnel violin walnut zipper anchor button cactus donkey engine falcon garlic helmet igloo';
const filler = SUBJECTS.split(' ').map((word, at) => `The ${word} stands in room ${at + 3} of the third building.`);
/** The same words, in one of which the fake model of embeddings knows a synonym of the question's. */
const pages = {
  '/rain': '<title>Rain</title><main><p>A brolly for guests costs four euros at the desk.</p></main>',
  ...Object.fromEntries(filler.map((text, at) => [`/room/${at}`, `<title>Room</title><main><p>${text}</p></main>`])),
};

let fake: FakeModel;
let hotel: Awaited<ReturnType<typeof site>>;
beforeAll(async () => {
  [fake, hotel] = [await startFakeModel(), await site(pages)];
});
afterAll(async () => {
  await Promise.all([fake.close(), hotel.close()]);
});

async function open(env: NodeJS.ProcessEnv): Promise<{ running: Running; chatbot: string }> {
  const running = await start({ FETCH_ALLOW: hotel.host, ...env });
  const chatbot = (await running.api('POST', '/chatbot/create', { name: 'Hotel', show_citations: true })).body.uuid;
  for (const path of Object.keys(pages))
    await running.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: hotel.base + path });
  const sources = () => running.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all) => all.every(({ status }: { status: string }) => status === 'success'));
  return { running, chatbot };
}

async function confidenceOf({ running, chatbot }: Awaited<ReturnType<typeof open>>, query: string): Promise<number> {
  const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
  const { decision } = (await running.api('POST', `/session/${session}/message/trace`, { query })).body;
  return decision.confidence;
}

it('it raises the confidence of a passage that stands out, and lowers that of one that does not', async () => {
  const plain = await open({});
  const asked = ['What does an umbrella for guests cost?', 'Which desk stands in the cellar?'] as const;
  const byWords = [await confidenceOf(plain, asked[0]), await confidenceOf(plain, asked[1])] as const;
  await plain.running.stop();
  const embedded = await open({ EMBED_BASE_URL: fake.baseUrl, EMBED_MODEL: 'small' });
  await until(
    () => Promise.resolve(fake.embedRequests.length),
    (count) => count >= Object.keys(pages).length,
  );
  await until(
    () => confidenceOf(embedded, asked[0]),
    (confidence) => confidence > byWords[0],
  );
  expect(await confidenceOf(embedded, asked[1])).toBeLessThan(byWords[1]);
  await embedded.running.stop();
});
