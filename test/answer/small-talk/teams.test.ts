import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { start, until, type Running } from '../../running.ts';

/** Who answers small talk among several agents, and what agents say that have no words of their own. */

const UNKNOWN = 'I don’t know: I have found no answer to that in what I have read.';
const OFFER = 'If you would like to talk to a person, tell me: I will note it.';

let running: Running;
beforeAll(async () => void (running = await start()));
afterAll(() => running.stop());

interface Team {
  docent: Running;
  bot: string;
  agents: Record<string, string>;
}

async function team(docent: Running, types: Record<string, Record<string, unknown>>): Promise<Team> {
  const bot = (await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' })).body.uuid;
  const agents: Record<string, string> = {};
  for (const [name, { examples, ...agent }] of Object.entries(types)) {
    const { body } = await docent.api('POST', `/chatbot/${bot}/agent/create`, { name, ...agent });
    await docent.api('POST', `/agent/${body.uuid}/update`, { enabled: true, ...agent });
    if (examples) await docent.api('POST', `/agent/${body.uuid}/routing`, { examples });
    agents[name] = body.uuid;
  }
  await docent.api('POST', `/chatbot/${bot}/data-source/qa`, {
    question: 'How long may I return a lamp?',
    answer: 'You may return a lamp within 30 days.',
  });
  const sources = () => docent.api('GET', `/chatbot/${bot}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]: { status: string }[]) => source!.status === 'success');
  return { docent, bot, agents };
}

const newSession = async ({ docent, bot }: Team): Promise<string> =>
  (await docent.api('POST', `/chatbot/${bot}/session/create`, {})).body.uuid;

async function ask(its: Team, query: string, session?: string) {
  const uuid = session ?? (await newSession(its));
  const { body } = await its.docent.api('POST', `/session/${uuid}/message/non-stream`, { query });
  const message = (await its.docent.api('GET', `/session/${uuid}/messages`)).body.at(-1);
  const { routing, outcome, active_agent, credits } = JSON.parse(message.meta_json);
  const { meta } = (await its.docent.api('GET', `/session/${uuid}`)).body;
  return { response: body.response as string, agent: active_agent.name, routing, outcome, credits, live: meta.live };
}

const HELLO = 'Hello! What would you like to know?';

describe('small talk among several agents', () => {
  let its: Team;
  beforeAll(async () => {
    its = await team(running, {
      Hours: {
        type: 'pre-canned',
        description: 'Hello, good morning, opening hours',
        default_message: 'Nine to five.',
      },
      Repairs: { type: 'user-facing', description: 'Repairs of lamps', examples: ['My lamp is broken'], bias: 0.5 },
      Spam: { type: 'spam-defense', default_message: 'No.' },
      Person: { type: 'human-escalation', bias: -10 },
    });
  });

  it('is taken by the user-facing agent of the highest bias, and by none that is like it', async () => {
    const answer = await ask(its, 'Good morning!');
    expect(answer).toMatchObject({ agent: 'Repairs', response: HELLO, outcome: 'answered', credits: 0 });
    expect(answer.routing).toEqual({ by: 'classifier', agent: its.agents['Repairs'], detected: 'small_talk' });
  });

  it('stays with the user-facing agent that answered last', async () => {
    const session = await newSession(its);
    await its.docent.api('POST', `/agent/${its.agents['Repairs']}/update`, { bias: -0.5 });
    await ask(its, 'My lamp is broken', session);
    const before = await ask(its, 'My lamp is broken', session);
    expect((await ask(its, 'thank you', session)).agent).toBe(before.agent);
    await its.docent.api('POST', `/agent/${its.agents['Repairs']}/update`, { bias: 0.5 });
  });

  it('stays with it across the message of a pre-canned agent', async () => {
    const session = await newSession(its);
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { rules: [{ contains: ['opening'] }] });
    await its.docent.api('POST', `/agent/${its.agents['Repairs']}/update`, { bias: -0.1 });
    expect((await ask(its, 'My lamp is broken', session)).agent).toBe('Repairs');
    expect((await ask(its, 'opening', session)).agent).toBe('Hours');
    expect(await ask(its, 'thanks', session)).toMatchObject({ agent: 'Repairs', response: 'You are welcome!' });
    await its.docent.api('POST', `/agent/${its.agents['Repairs']}/update`, { bias: 0.5 });
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { rules: [] });
  });

  it('comes after a rule', async () => {
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { rules: [{ contains: ['good morning'] }] });
    expect(await ask(its, 'Good morning!')).toMatchObject({ agent: 'Hours', response: 'Nine to five.' });
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { rules: [] });
  });

  it('comes after spam', async () => {
    expect((await ask(its, 'hi '.repeat(20))).agent).toBe('Spam');
  });

  it('is left to an agent with such a sentence among its examples', async () => {
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { examples: ['hi'] });
    expect(await ask(its, 'Hello!')).toMatchObject({ agent: 'Hours', response: 'Nine to five.' });
    expect(await ask(its, 'thanks')).toMatchObject({ agent: 'Repairs', response: 'You are welcome!' });
    await its.docent.api('POST', `/agent/${its.agents['Hours']}/routing`, { examples: [] });
  });

  it('offers a person where one can be asked for', async () => {
    expect((await ask(its, 'are you a robot?')).response).toBe(
      `Yes. I am an automated assistant, not a person. ${OFFER}`,
    );
    expect((await ask(its, 'am I talking to a human?')).agent).toBe('Repairs');
    expect((await ask(its, 'what can you do?')).response).toMatch(/^I answer questions .* I say so\. If you would/);
  });

  describe('that replies to a question of the answer before', () => {
    let asking: Team;
    let session: string;
    const answerWith = async (message: string) => {
      await asking.docent.api('POST', `/agent/${asking.agents['Hours']}/update`, { default_message: message });
      session = await newSession(asking);
      expect((await ask(asking, 'opening', session)).response).toBe(message);
    };
    const detected = async (query: string) => (await ask(asking, query, session)).routing.detected;
    beforeAll(async () => {
      asking = await team(running, { Hours: { type: 'pre-canned' } });
      await asking.docent.api('POST', `/agent/${asking.agents['Hours']}/routing`, {
        rules: [{ contains: ['opening'] }],
      });
    });

    it.each([
      'yes',
      'yes, thank you',
      'no thanks',
      'thanks, but no',
      'Thank you, yes please',
      'oui merci',
      'merci non',
      'sí gracias',
      'ok danke',
      'danke nein',
      'tak',
      'no problem, yes',
      'はい、ありがとう',
      '네 감사합니다',
      '好的，谢谢',
    ])('is no small talk: %s', async (reply) => {
      await answerWith('Shall I tell you more?');
      expect(await detected(reply)).toBeUndefined();
    });

    it.each([
      'Do you want delivery or pickup? Just let me know.',
      '要送货吗？请告诉我。',
      'Θέλετε παράδοση;',
      'We open at nine. Shall I tell you more? (It is long.)',
      'See https://shop.example/?all=1. Shall I go on?',
    ])('is no small talk after “%s”', async (question) => {
      await answerWith(question);
      expect(await detected('yes, thank you')).toBeUndefined();
    });

    it.each(['Is it broken? Bring it. We open at nine.', 'See https://shop.example/?all=1', 'We sell lamps; ask us.'])(
      'is small talk after “%s”, which asks nothing at its end',
      async (statement) => {
        await answerWith(statement);
        expect(await detected('yes, thank you')).toBe('small_talk');
      },
    );

    it.each(['thanks', 'great, thank you', 'hi there', 'bye', 'are you a robot?'])(
      'says yes or no: “%s” is small talk',
      async (other) => {
        await answerWith('Shall I tell you more?');
        expect(await detected(other)).toBe('small_talk');
      },
    );

    it('is small talk after a greeting, which asks what the visitor wants to know', async () => {
      session = await newSession(asking);
      expect((await ask(asking, 'hi', session)).response).toBe(HELLO);
      expect((await ask(asking, 'ok, thanks', session)).response).toBe('You are welcome!');
    });
  });
});

describe('without words of its own', () => {
  let its: Team;
  beforeAll(async () => {
    its = await team(running, {
      Hours: { type: 'pre-canned', examples: ['When do you open?'] },
      Spam: { type: 'spam-defense' },
      Person: { type: 'human-escalation' },
    });
  });

  it.each([
    ['I want to talk to a human', 'I have noted that you would like to talk to a person. You can go on asking me.'],
    [
      'Ich möchte mit einem Mitarbeiter sprechen',
      'Ich habe notiert, dass Sie mit einem Menschen sprechen möchten. Sie können mich weiter fragen.',
    ],
  ])('a human-escalation agent answers “%s”', async (query, reply) => {
    expect(await ask(its, query)).toMatchObject({
      agent: 'Person',
      response: reply,
      outcome: 'answered',
      live: { state: 'requested' },
    });
  });

  it('a spam-defense agent asks for a question', async () => {
    const answer = await ask(its, 'WINNER!! You have won a £900 prize! Call 09061701461 now to claim');
    expect(answer).toMatchObject({
      agent: 'Spam',
      outcome: 'answered',
      response: 'I cannot help with that. Please ask a question about this site.',
    });
  });

  it.each(['qwdfkjh wefkjhw sdkfjhq', 'Dkfjhg sdkjfhg kdjfhgskd'])(
    'it does so in the language of the conversation, else of the pages: “%s”',
    async (keys) => {
      expect((await ask(its, keys)).response).toBe('I cannot help with that. Please ask a question about this site.');
      const session = await newSession(its);
      await ask(its, 'Wie lange kann ich eine Lampe zurückgeben?', session);
      expect((await ask(its, keys, session)).response).toMatch(/^Dabei kann ich/);
    },
  );

  it('a pre-canned agent says that it has no text', async () => {
    const answer = await ask(its, 'When do you open?');
    expect(answer).toMatchObject({
      agent: 'Hours',
      outcome: 'unknown',
      response: 'I have no text on that yet. Please ask about something else.',
    });
  });
});

describe('fixed messages alone', () => {
  it('leave small talk to a sentence of ours, and what fits none of them unanswered', async () => {
    const its = await team(running, {
      Hours: { type: 'pre-canned', examples: ['When do you open?'], default_message: 'Nine to five.' },
      Parking: { type: 'pre-canned', examples: ['Where can I park?'], default_message: 'Behind the house.' },
      Person: { type: 'human-escalation', bias: -10 },
    });
    const agents = (await running.api('GET', `/chatbot/${its.bot}/agents`)).body as { uuid: string; type: string }[];
    const facing = agents.find(({ type }) => type === 'user-facing')!;
    await running.api('POST', `/agent/${facing.uuid}/update`, { enabled: false });
    expect(await ask(its, 'When do you open?')).toMatchObject({ agent: 'Hours', response: 'Nine to five.' });
    expect(await ask(its, 'hi')).toMatchObject({ agent: '', response: HELLO, outcome: 'answered' });
    const answer = await ask(its, 'Do you sell kayaks?');
    expect(answer).toMatchObject({ agent: '', outcome: 'unknown', routing: { by: 'classifier' } });
    expect(answer.response.split('\n\n')).toEqual([UNKNOWN, expect.any(String), OFFER]);
    expect((await ask(its, 'a real person please')).agent).toBe('Person');
  });
});

describe('“I don’t know”', () => {
  const QUERY = 'What is the airspeed of an unladen swallow?';

  it('offers a person only where one can be asked for, in the owner’s words where there are any', async () => {
    const its = await team(running, { Person: { type: 'human-escalation', bias: -10 } });
    expect((await ask(its, QUERY)).response.split('\n\n')).toEqual([UNKNOWN, expect.any(String), OFFER]);
    expect((await ask(its, 'Wie schnell fliegt eine Schwalbe ohne Gepäck?')).response).toMatch(
      /\n\nWenn Sie mit einem Menschen sprechen möchten, .*: Ich notiere es\.$/,
    );
    await running.api('POST', `/chatbot/${its.bot}/widget`, { words: { reply_person: 'Say “crew”.' } });
    expect((await ask(its, QUERY)).response).toMatch(/\n\nSay “crew”\.$/);
    await running.api('POST', `/agent/${its.agents['Person']}/update`, { enabled: false });
    expect((await ask(its, QUERY)).response).not.toContain('crew');
  });
});

describe('with a model', () => {
  let model: FakeModel;
  let docent: Running;
  beforeAll(async () => {
    model = await startFakeModel({
      script: { pieces: ['I don’t know: I have found no answer', ' to that in what I have read.'] },
    });
    docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
  });
  afterAll(async () => {
    await docent.stop();
    await model.close();
  });

  it('small talk is answered the same, and calls no model', async () => {
    const its = await team(docent, {});
    const answers = [await ask(its, 'hi'), await ask(its, 'thanks!'), await ask(its, 'can I talk to a person?')];
    expect(answers.map(({ outcome, credits }) => [outcome, credits])).toEqual(answers.map(() => ['answered', 0]));
    expect(answers[0]!.response).toBe(HELLO);
    expect(model.requests).toEqual([]);
  });

  it('a person is offered after its “I don’t know”', async () => {
    const its = await team(docent, { Person: { type: 'human-escalation', bias: -10 } });
    const answer = await ask(its, 'What is the airspeed of an unladen swallow?');
    expect(answer).toMatchObject({ response: `${UNKNOWN}\n\n${OFFER}`, outcome: 'unknown' });
  });
});

describe('a visitor', () => {
  it('is met with small talk, and is not told who answered', async () => {
    const { bot } = await team(running, {});
    const reply = await fetch(`${running.base}/chat/${bot}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Hola' }),
    });
    const events = await reply.text();
    expect(events).toContain('¡Hola! ¿Qué desea saber?');
    expect(events).not.toMatch(/small_talk|routing|General/);
  });
});
