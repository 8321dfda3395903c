import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';

/** What each source says to the same question. Ten others say it too, and better. */
const DESK = { question: 'When may bicycles be hired?', answer: 'Bicycles may be hired from noon at the desk.' };
const SHED = { question: 'When may bicycles be hired?', answer: 'Bicycles may be hired from midnight at the shed.' };

let docent: Running;

async function chatbotWith(sources: object[]): Promise<{ chatbot: string; agent: string; uuids: string[] }> {
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Hire', show_citations: true })).body.uuid;
  const uuids: string[] = [];
  for (const source of sources)
    uuids.push((await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, source)).body.uuid);
  const learned = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then((reply) => reply.body);
  await until(learned, (all) => all.every(({ status }: { status: string }) => status === 'success'));
  const agent = (await docent.api('GET', `/chatbot/${chatbot}/agents`)).body[0].uuid;
  return { chatbot, agent, uuids };
}

const keepTo = (agent: string, data_source_uuids: string[], use_all_sources = false) =>
  docent.api('POST', `/agent/${agent}/update`, { data_source_uuids, use_all_sources });

async function ask(chatbot: string, query = DESK.question): Promise<{ text: string; cited: string[] }> {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  const text = (await docent.api('POST', `/session/${session}/message/non-stream`, { query })).body.response;
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  const citations = Object.values(JSON.parse(message.cite_data_json)) as { data_source_uuid: string }[];
  return { text, cited: citations.map((one) => one.data_source_uuid) };
}

const DONT_KNOW = /^I don\u2019t know/;

describe('an agent without use_all_sources, quoting', () => {
  beforeAll(async () => {
    docent = await start();
  });
  afterAll(() => docent.stop());

  it('answers from its own sources alone, though others fit better', async () => {
    const others = Array.from({ length: 12 }, (_, n) => ({ ...SHED, answer: `${SHED.answer} Shed ${n}.` }));
    const away = { question: 'What else is at the desk?', answer: 'Maps; and bicycles are hired there from noon.' };
    const { chatbot, agent, uuids } = await chatbotWith([...others, away]);
    expect((await ask(chatbot)).text).toContain('midnight');
    await keepTo(agent, [uuids.at(-1)!]);
    expect(await ask(chatbot)).toMatchObject({
      text: expect.stringContaining('Maps; and bicycles'),
      cited: [uuids.at(-1)],
    });
    await keepTo(agent, [uuids.at(-1)!], true);
    expect((await ask(chatbot)).text).toContain('midnight');
  });

  it('knows nothing with an empty list, and names no page', async () => {
    const { chatbot, agent, uuids } = await chatbotWith([DESK]);
    await keepTo(agent, []);
    const { text, cited } = await ask(chatbot);
    expect(text).toMatch(DONT_KNOW);
    expect(text).not.toContain('bicycles');
    expect(cited).toEqual([]);
    await keepTo(agent, uuids);
    expect((await ask(chatbot)).text).toContain('noon');
  });

  it('knows nothing of what is elsewhere, and offers none of it as close', async () => {
    const { chatbot, agent, uuids } = await chatbotWith([
      DESK,
      { question: 'Where are the maps?', answer: 'In a drawer.' },
    ]);
    await keepTo(agent, [uuids[1]!]);
    const { text } = await ask(chatbot, 'When may bicycles be hired?');
    expect(text).toMatch(DONT_KNOW);
    expect(text).not.toContain('bicycles');
  });

  it('forgets a source that is deleted', async () => {
    const { chatbot, agent, uuids } = await chatbotWith([DESK, SHED]);
    await keepTo(agent, [uuids[0]!]);
    expect((await ask(chatbot)).text).toContain('noon');
    await docent.api('POST', `/data-source/${uuids[0]}/delete`);
    expect((await docent.api('GET', `/agent/${agent}`)).body.data_source_uuids).toEqual([]);
    expect((await ask(chatbot)).text).toMatch(DONT_KNOW);
  });

  it('learns a source of its list anew', async () => {
    const page = { question: 'When may boats be hired?', answer: 'Boats may be hired at dawn.' };
    const { chatbot, agent, uuids } = await chatbotWith([DESK, page]);
    await keepTo(agent, [uuids[1]!]);
    await docent.api('POST', `/data-source/${uuids[1]}/update`, { title: 'Boats of the harbour' });
    expect((await ask(chatbot, 'When may boats be hired?')).text).toContain('dawn');
  });
});

describe('an agent without use_all_sources, with a model', () => {
  let model: FakeModel;
  beforeAll(async () => {
    model = await startFakeModel({ script: { pieces: ['From noon.'] } });
    docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' });
  });
  afterAll(async () => {
    await docent.stop();
    await model.close();
  });

  const shown = (): string => model.requests.at(-1)!.body.messages[0]!.content;

  it('shows the model passages of its own sources alone', async () => {
    const { chatbot, agent, uuids } = await chatbotWith([DESK, SHED]);
    await ask(chatbot, 'I arrive early and need bicycles for my kids: what is hired where?');
    expect(shown()).toContain('midnight at the shed');
    await keepTo(agent, [uuids[0]!]);
    await ask(chatbot, 'I arrive early and need bicycles for my kids: what is hired where?');
    expect(shown()).toContain('noon at the desk');
    expect(shown()).not.toContain('midnight');
  });

  it('shows it no passage where the list is empty', async () => {
    const { chatbot, agent } = await chatbotWith([DESK, SHED]);
    await keepTo(agent, []);
    await ask(chatbot);
    expect(shown()).toContain('No passages were found for this message.');
    expect(shown()).not.toMatch(/hired/);
  });
});
