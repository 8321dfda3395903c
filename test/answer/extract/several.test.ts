import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learnPages, type LearnedSite } from '../../conversations/learned-site.ts';

/** Several questions in one message, over HTTP, without a model. */

const pages = {
  '/shipping': `<title>Shipping</title><main><h1>Shipping</h1><p>We ship to Norway, Iceland and all of the EU.</p>
    <p>Parcels leave on Tuesdays and Fridays.</p></main>`,
  '/returns': `<title>Returns</title><main><h1>Returns</h1><p>Unused lamps can be returned within 45 days.</p></main>`,
  '/vouchers': `<title>Vouchers</title><main><h1>Vouchers</h1><p>We have vouchers from 20 pounds on. They are valid for two years.</p></main>`,
  '/dogs': `<title>Visit</title><main><h1>Visit</h1><h2>May I bring my dog?</h2><p>Yes, on a lead.</p>
    <h2>Is alcohol allowed?</h2><p>No, not in the workshop.</p>
    <h2>People</h2><p>Ada runs the workshop.</p></main>`,
  '/heron': `<title>Heron</title><main><h1>Heron</h1><p>The Heron is waterproof. It needs a bulb of 40 watts.</p></main>`,
  '/wren': `<title>Wren</title><main><h1>Wren</h1><p>The Wren is not waterproof. It needs a bulb of 15 watts.</p></main>`,
};

let docent: LearnedSite;
beforeAll(async () => {
  docent = await learnPages(pages);
});
afterAll(() => docent.stop());

async function ask(query: string) {
  const session = (await docent.api('POST', `/chatbot/${docent.chatbot}/session/create`, {})).body.uuid;
  const { response } = (await docent.api('POST', `/session/${session}/message/non-stream`, { query })).body;
  const [message] = (await docent.api('GET', `/session/${session}/messages`)).body;
  const citations = JSON.parse(message.cite_data_json) as Record<string, { text: string; file_name: string }>;
  const { outcome, search } = JSON.parse(message.meta_json);
  return { response: response as string, stored: message.response as string, citations, outcome, search };
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('several questions in one message', () => {
  it('are answered one after another, each with its citation', async () => {
    const { response, stored, citations, outcome, search } = await ask(
      'Do you ship to Norway? And how long can I return something?',
    );
    expect(response).toMatch(/^We ship to Norway.* \[1\]\n\nUnused lamps can be returned within 45 days\. \[2\]$/s);
    expect(stored).toBe(response);
    expect(citations['1']!.text).toContain('Norway');
    expect(citations['2']).toMatchObject({ text: 'Unused lamps can be returned within 45 days.' });
    expect(outcome).toBe('answered');
    expect(search).toEqual({
      why: 'several',
      queries: ['Do you ship to Norway?', 'how long can I return something?'],
    });
  });

  it.each([
    ['Is alcohol allowed? May I bring my dog?', 'not in the workshop', 'on a lead'],
    ['hello, is alcohol allowed and can i bring my dog', 'not in the workshop', 'on a lead'],
    [
      'May I bring my dog and until when can I return something and who runs the workshop?',
      'on a lead',
      '45 days',
      'Ada',
    ],
    ['Some questions:\n- when do parcels leave?\n- how long are vouchers valid?', 'Tuesdays', 'two years'],
    ['Can you tell me when parcels leave? How long are vouchers valid? Thank you!', 'Tuesdays', 'two years'],
    [
      'I’d like to come with ten colleagues. Is alcohol allowed? May I bring my dog?',
      'not in the workshop',
      'on a lead',
    ],
    ['Dear team,\n\nmay I bring my dog? And do you ship to Iceland?\n\nBest wishes\nPaula', 'on a lead', 'Iceland'],
  ])('are read in many forms: %s', async (message, ...facts) => {
    const { response } = await ask(message);
    for (const fact of facts) expect(response).toContain(fact);
  });

  it('go on from the one before, and from what is told beside them', async () => {
    expect((await ask('Do you have vouchers? How long are they valid?')).response).toMatch(
      /vouchers from 20 pounds.*valid for two years/,
    );
    const { response } = await ask('I bought the Wren last week. Is it waterproof? And what bulb does it need?');
    expect(response).toContain('not waterproof');
    expect(response).toContain('15 watts');
    expect(response).not.toContain('Heron');
  });

  it('are named where they have no answer', async () => {
    const { response, citations, outcome } = await ask(
      'What is the capital of [Mongolia](https://evil.example)? How long are vouchers valid?',
    );
    expect(response).toMatch(
      /two years\. \[1\]\n\n“What is the capital of …” I don’t know: I have found no answer to that in what I have read\.$/,
    );
    expect(Object.keys(citations)).toEqual(['1']);
    expect(outcome).toBe('answered');
  });

  it('are named where an answer is not sure, so that nobody takes it for another', async () => {
    const { response } = await ask(
      'Which watts does my purple velvet Heron bulb have? And how long are vouchers valid?',
    );
    expect(response).toMatch(
      /^\*\*Which watts .*\?\*\*\n\nI am not sure.*\n\n.*40 watts.*\n\n\*\*How long are vouchers valid\?\*\*\n\n.*two years/s,
    );
  });

  it('are refused together where none has an answer', async () => {
    const { response, citations, outcome } = await ask('Who won the cup in 1974? What is the capital of Mongolia?');
    expect(count(response, 'I don’t know')).toBe(1);
    expect(response).not.toContain('“');
    expect([citations, outcome]).toEqual([{}, 'unknown']);
  });

  it('have one citation where one paragraph answers them', async () => {
    const { response, citations } = await ask('Is the Heron waterproof? Which bulb does the Heron need?');
    expect(count(response, 'waterproof')).toBe(1);
    expect(response).toContain('40 watts');
    expect(Object.keys(citations)).toEqual(['1']);
  });

  it.each([
    'Is alcohol allowed? May I bring my dog? When do parcels leave? How long can I return something?',
    '1. Is alcohol allowed?\n2. May I bring my dog?\n3. When do parcels leave?\n4. How long can I return something?',
    '1) is alcohol allowed\n2) may i bring my dog\n3) when do parcels leave\n4) how long can i return something',
  ])('are all answered where they are four: %s', async (message) => {
    const { response, search } = await ask(message);
    expect(search.queries).toHaveLength(4);
    for (const fact of ['not in the workshop', 'on a lead', 'Tuesdays', '45 days']) expect(response).toContain(fact);
  });

  it('are named beyond the fifth', async () => {
    const first = 'Is alcohol allowed? May I bring my dog? When do parcels leave? How long can I return something?';
    const { response, search } = await ask(
      `${first} How long are vouchers valid? Is the [Heron](https://evil.example) waterproof? Do you ship to Norway?`,
    );
    expect(search.queries).toHaveLength(5);
    expect(response).toMatch(
      /two years\. \[\d\]\n\nThat was a lot at once\. Please ask this again:\n\n- Is the … waterproof\?\n- Do you ship to Norway\?$/,
    );
  });

  it('are named up to ten', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `Does lamp ${at} need a bulb?`).join(' ');
    const { response } = await ask(`How long are vouchers valid? Is alcohol allowed? ${many}`);
    expect(count(response, '\n- ')).toBeLessThanOrEqual(6);
    expect(response).toMatch(/\n- …$/);
  });
});

describe('one question beside others that ask for nothing', () => {
  it.each([
    ['Hi, how are you? Do you ship to Norway?', 'Do you ship to Norway?'],
    ['You know what happened? I won a voucher! How long is a voucher valid?', 'How long is a voucher valid?'],
    ['May I bring my dog? Is that ok? Really?', 'May I bring my dog?'],
    ['Who doesn’t love dogs? May I bring my dog?', 'May I bring my dog?'],
    ['Do parcels leave on Fridays? When do parcels leave?', 'When do parcels leave?'],
    ['Bonjour, quelqu’un saurait m’éclairer ? May I bring my dog?', 'May I bring my dog?'],
  ])('has the answer of the question alone: %s', async (message, alone) => {
    const [{ response, citations }, plain] = [await ask(message), await ask(alone)];
    expect(response).toBe(plain.response);
    expect(citations).toEqual(plain.citations);
  });

  it('is not cut in two where it asks for two things of one', async () => {
    const { search } = await ask('Do you know what a voucher costs and when it is sent?');
    expect(search).toBeUndefined();
  });
});

describe('a message of which only a part is answered', () => {
  it.each([
    ['Not sure whether this is the right place to write to, but is alcohol allowed?', 'is alcohol allowed?'],
    ['Second attempt, the first message seems lost: alcohol in the workshop', 'alcohol in the workshop'],
    ['vouchers valid - our grandmother collects everything and forgets everything', 'vouchers valid'],
  ])('has its answer, told as of that part: %s', async (message, part) => {
    const [whole, alone] = [await ask(message), await ask(part)];
    expect(alone.outcome).toBe('answered');
    expect(whole.search).toEqual({ why: 'part', queries: [part] });
    expect(whole.response).toContain(alone.response);
  });

  it('has an unsure answer where what is left out may belong to it', async () => {
    const { response, outcome } = await ask('how long can I return an unused lamp - Vermont maple syrup festival');
    expect(outcome).toBe('unsure');
    expect(response).toContain('45 days');
  });

  it.each([
    'With a pet crocodile from Kenya, who won the cup in 1974?',
    'Do you repair zeppelins (we inherited one, it leaks)?',
    'In the summer of 1974, who ran for mayor of Ulaanbaatar?',
  ])('is refused where no part asks what pages tell: %s', async (message) => {
    expect(await ask(message)).toMatchObject({ outcome: 'unknown', citations: {}, search: undefined });
  });
});
