import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, type Running } from '../running.ts';

/** The agent that answers, over HTTP, without a model. */

let running: Running;
let chatbot: string;
const agents: Record<string, string> = {};

const agent = async (name: string, type: string, more: object = {}): Promise<void> => {
  const { body } = await running.api('POST', `/chatbot/${chatbot}/agent/create`, { name, type, ...more });
  agents[name] = body.uuid;
  await running.api('POST', `/agent/${body.uuid}/update`, { enabled: true, ...more });
};

beforeAll(async () => {
  running = await start();
  chatbot = (await running.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  await running.api('POST', `/chatbot/${chatbot}/data-source/qa`, {
    question: 'How long may I return a lamp?',
    answer: 'You may return a lamp within 30 days.',
  });
  const [general] = (await running.api('GET', `/chatbot/${chatbot}/agents`)).body;
  agents['General'] = general.uuid;
  const hours = { description: 'Opening hours of the shop.', default_message: 'Open from nine to five.' };
  await agent('Hours', 'pre-canned', hours);
  await running.api('POST', `/agent/${agents['Hours']}/routing`, {
    examples: ['When do you open?', 'Are you open on Sunday?', 'What are your opening hours?'],
  });
  await agent('Spam', 'spam-defense', { default_message: 'Please ask about our shop.' });
  await agent('Person', 'human-escalation', {
    bias: -10,
    human_escalation_settings: { human_requested_message: 'Somebody will be with you soon.' },
  });
  await agent('Tagger', 'background');
});
afterAll(() => running.stop());

async function session(): Promise<string> {
  return (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
}

async function ask(query: string, inSession?: string) {
  const uuid = inSession ?? (await session());
  const { body } = await running.api('POST', `/session/${uuid}/message/non-stream`, { query });
  const message = (await running.api('GET', `/session/${uuid}/messages`)).body.at(-1);
  const { active_agent, routing, outcome } = JSON.parse(message.meta_json);
  return { response: body.response as string, agent: active_agent.name as string, routing, outcome };
}

describe('the agent that answers', () => {
  it.each([
    ['How long may I return a lamp?', 'General Q&A', 'within 30 days'],
    ['Are you open on Monday?', 'Hours', 'Open from nine to five.'],
    ['I want to talk to a human, please', 'Person', 'Somebody will be with you soon.'],
    [
      'WINNER!! You have been selected to receive a £900 prize! Call 09061701461 now to claim',
      'Spam',
      'Please ask about',
    ],
  ])('of “%s” is %s', async (query, name, text) => {
    const answer = await ask(query);
    expect([answer.agent, answer.response, answer.outcome]).toEqual([name, expect.stringContaining(text), 'answered']);
  });

  it('finds what it would find first, after a turn that was not answered from the sources', async () => {
    const query = 'How long may I return it?';
    const first = (await ask(query)).response;
    for (const before of ['Are you open on Sunday?', 'I want to talk to a human, please', 'Hello!']) {
      const uuid = await session();
      await ask(before, uuid);
      expect((await ask(query, uuid)).response, before).toBe(first);
    }
  });

  it('marks the session where a person was asked for, and no other', async () => {
    const [calm, asking] = [await session(), await session()];
    await ask('Are you open on Monday?', calm);
    await ask('I want to talk to a human, please', asking);
    const metaOf = async (uuid: string) => (await running.api('GET', `/session/${uuid}`)).body.meta;
    expect([await metaOf(calm), await metaOf(asking)]).toEqual([{}, { live: { state: 'requested' } }]);
  });

  it('is not told to visitors', async () => {
    await running.api('POST', `/chatbot/${chatbot}/update`, { visibility: 'public' });
    const reply = await fetch(`${running.base}/chat/${chatbot}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Are you open on Monday?' }),
    });
    const events = await reply.text();
    expect(events).toContain('Open from nine to five.');
    expect(events).not.toMatch(/routing|candidates|margin|Hours/);
  });

  it('is recorded with its score for key holders', async () => {
    const { routing } = await ask('Are you open on Monday?');
    expect(routing).toMatchObject({ by: 'classifier', agent: agents['Hours'], margin: expect.any(Number) });
    expect(routing.candidates[0]).toMatchObject({ uuid: agents['Hours'], bias: 0, stickness: 0 });
    expect(JSON.stringify(routing).length).toBeLessThan(4000);
  });

  it('is the one whose rule is true, whatever the words', async () => {
    const rules = [{ all: [{ queries: { min: 2 } }, { contains: ['lamp'] }] }];
    expect((await running.api('POST', `/agent/${agents['Hours']}/routing`, { rules })).body.rules).toEqual(rules);
    const uuid = await session();
    expect((await ask('How long may I return a lamp?', uuid)).agent).toBe('General Q&A');
    const second = await ask('How long may I return a lamp?', uuid);
    expect(second).toMatchObject({
      agent: 'Hours',
      routing: { by: 'rule', rule: { agent: agents['Hours'], index: 0 } },
    });
    await running.api('POST', `/agent/${agents['Hours']}/routing`, { rules: [] });
  });

  it('keeps examples that are not sent', async () => {
    expect((await running.api('GET', `/agent/${agents['Hours']}/routing`)).body).toEqual({
      examples: expect.arrayContaining(['When do you open?']),
      rules: [],
    });
  });

  it('is the one whose function has the message as an example, unless the function is off', async () => {
    await agent('Fees', 'user-facing', { description: 'What things cost.' });
    const created = await running.api('POST', `/agent/${agents['Fees']}/function/create`, {
      name: 'account',
      description: 'Finds out what is open.',
      method: 'GET',
      external_url: 'https://shop.example/account',
      meta: { examples: ['What is open on my account?'] },
    });
    expect((await ask('What is open on my account?')).agent).toBe('Fees');
    await running.api('POST', `/function/${created.body.uuid}/update`, { enabled: 0 });
    expect((await ask('What is open on my account?')).agent).not.toBe('Fees');
    await running.api('POST', `/agent/${agents['Fees']}/update`, { enabled: false });
  });

  it('is nobody where none is enabled', async () => {
    const bot = (await running.api('POST', '/chatbot/create', { name: 'Empty' })).body.uuid;
    const [only] = (await running.api('GET', `/chatbot/${bot}/agents`)).body;
    await running.api('POST', `/agent/${only.uuid}/update`, { enabled: false });
    const uuid = (await running.api('POST', `/chatbot/${bot}/session/create`, {})).body.uuid;
    const { body } = await running.api('POST', `/session/${uuid}/message/non-stream`, { query: 'When do you open?' });
    expect(body.response).toContain('I don’t know');
  });
});
