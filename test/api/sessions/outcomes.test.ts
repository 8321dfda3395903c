import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModel, type FakeModel, type Script } from '../../fakes/model.ts';
import { parseEvents, post } from '../../proxy/fixture.ts';
import { start, until, type Running } from '../../running.ts';

/** What the record of the last question says of it, and what its visitor is told. */
interface Marked {
  outcome: unknown;
  session: string;
  uuid: string;
}

async function chatbotOf(docent: Running, meta: object = {}): Promise<string> {
  const settings = { name: 'Shop', show_citations: true, visibility: 'public', ...meta };
  const { uuid } = (await docent.api('POST', '/chatbot/create', settings)).body;
  const pair = { question: 'How long may I return a lamp?', answer: 'You may return a lamp within 45 days.' };
  await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, pair);
  const sources = () => docent.api('GET', `/chatbot/${uuid}/data-sources`).then(({ body }) => body);
  await until(sources, ([source]) => source.status === 'success');
  return uuid;
}

/** Asks by the public chat API; the record has to say what the visitor is told. */
async function ask(docent: Running, chatbot: string, query: string, session?: string): Promise<Marked> {
  const reply = await post(`${docent.base}/chat/${chatbot}/ask`, { query, session });
  const events = parseEvents(await reply.text());
  const uuid = (events.find(({ event }) => event === 'message') as { data: { uuid: string } }).data.uuid;
  const made = events.find(({ event }) => event === 'session') as { data: { uuid: string } } | undefined;
  const { outcome } = JSON.parse((await docent.api('GET', `/message/${uuid}`)).body.meta_json);
  const last = events.at(-1);
  if (last?.event === 'done') expect(last.data.outcome).toBe(outcome);
  return { outcome, session: session ?? made?.data.uuid ?? '', uuid };
}

const KNOWN = 'For how many days may I return this lamp?';
/** The closest that the sources say is about returns, but nothing is said of a repair or a cable. */
const CLOSE = 'How long may I return a lamp with a broken cable?';
const STRANGE = 'Who won the football world cup in 1974?';

describe('without a model', () => {
  let docent: Running;
  let chatbot: string;
  beforeAll(async () => {
    docent = await start();
    chatbot = await chatbotOf(docent);
  });
  afterAll(() => docent.stop());

  it('a question is answered, nearly answered, or nobody knows', async () => {
    expect((await ask(docent, chatbot, KNOWN)).outcome).toBe('answered');
    const close = await ask(docent, chatbot, CLOSE);
    expect(close.outcome).toBe('unsure');
    const { response, finish_reason } = (await docent.api('GET', `/message/${close.uuid}`)).body;
    expect(response).toBe(
      'I am not sure. The closest that I have read:\n\nHow long may I return a lamp? You may return a lamp within 45 days. [1]',
    );
    expect(finish_reason).toBe('stop');
    expect((await ask(docent, chatbot, STRANGE)).outcome).toBe('unknown');
    const empty = (await docent.api('POST', '/chatbot/create', { name: 'Empty', visibility: 'public' })).body.uuid;
    expect((await ask(docent, empty, 'What do you sell?')).outcome).toBe('unknown');
  });

  it('nobody knows in the language that the browser asks for where a short question could be of several', async () => {
    const said = async (languages: string) => {
      const headers = { 'Accept-Language': languages };
      return (await post(`${docent.base}/chat/${chatbot}/ask`, { query: 'Hvordan betaler jeg?' }, headers)).text();
    };
    expect(await said('en;q=0.3, nb-NO, nb;q=0.9')).toContain('Det vet jeg ikke');
    expect(await said('da')).toContain('Det ved jeg ikke');
    for (const odd of ['', ',;q=,', `${'x-'.repeat(3000)}`, '*']) expect(await said(odd)).toContain('event: done');
  });

  it('a visitor’s history says so too', async () => {
    const { session } = await ask(docent, chatbot, STRANGE);
    await ask(docent, chatbot, KNOWN, session);
    const list = await (await fetch(`${docent.base}/chat/${chatbot}/session/${session}/messages`)).json();
    expect(list.map(({ outcome }: Marked) => outcome)).toEqual(['unknown', 'answered']);
    expect(JSON.stringify(list)).not.toContain('meta_json');
  });
});

describe('the sessions of a chatbot, by outcome', () => {
  let docent: Running;
  let chatbot: string;
  const made: Marked[] = [];
  beforeAll(async () => {
    docent = await start();
    chatbot = await chatbotOf(docent);
    for (const query of [KNOWN, STRANGE, `${STRANGE} "outcome":"answered"`])
      made.push(await ask(docent, chatbot, query));
    await ask(docent, chatbot, KNOWN, made[1]!.session);
    await docent.api('POST', `/chatbot/${chatbot}/session/create`);
  });
  afterAll(() => docent.stop());

  const listed = async (query: string): Promise<string[]> =>
    (await docent.api('GET', `/chatbot/${chatbot}/sessions${query}`)).body.map(({ uuid }: { uuid: string }) => uuid);

  it('are those with a message that ended so', async () => {
    const [known, both, strange] = made.map(({ session }) => session);
    expect(await listed('?outcome=answered')).toEqual([known, both]);
    expect(await listed('?outcome=unknown')).toEqual([both, strange]);
    expect(await listed('?outcome=unsure')).toEqual([]);
    expect(await listed('')).toHaveLength(4);
    expect(await listed('?outcome=unknown&limit=1')).toEqual([both]);
    expect(await listed(`?outcome=unknown&after=${both}`)).toEqual([strange]);
    expect(await listed('?outcome=unknown&end_timestamp=2020-01-01')).toEqual([]);
  });

  it('forget what is deleted', async () => {
    const { session, uuid } = await ask(docent, chatbot, STRANGE);
    expect(await listed('?outcome=unknown')).toContain(session);
    await docent.api('POST', `/message/${uuid}/delete`);
    expect(await listed('?outcome=unknown')).not.toContain(session);
  });

  it('are the same after a restart, when none of them is in memory', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'docent-'));
    const first = await start({ DATA_DIR: dir });
    const shop = await chatbotOf(first);
    const asked = [await ask(first, shop, STRANGE), await ask(first, shop, KNOWN)];
    await first.stop();
    const second = await start({ DATA_DIR: dir });
    const { body } = await second.api('GET', `/chatbot/${shop}/sessions?outcome=unknown`);
    expect(body.map(({ uuid }: { uuid: string }) => uuid)).toEqual([asked[0]!.session]);
    await second.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each(['?outcome=maybe', '?outcome=', '?outcome=answered&outcome=unknown'])('%s is refused', async (query) => {
    const { status, body } = await docent.api('GET', `/chatbot/${chatbot}/sessions${query}`);
    expect([status, body.field]).toEqual([422, 'outcome']);
  });
});

describe('with a model', () => {
  let docent: Running;
  let model: FakeModel;
  let chatbot: string;
  beforeAll(async () => {
    model = await startFakeModel();
    docent = await start({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' });
    chatbot = await chatbotOf(docent);
  });
  afterAll(async () => {
    await docent.stop();
    await model.close();
  });

  const told = (): string => {
    const [, sentence] = /no other: “(.*)”/.exec(model.requests.at(-1)!.body.messages[0]!.content) ?? [];
    return sentence ?? '';
  };

  it.each([
    ['cites a passage', KNOWN, ['Within 45 days [1].'], 'answered'],
    ['cites nothing of passages that answer', KNOWN, ['Within 45 days.'], 'answered'],
    ['has no passage that answers', STRANGE, ['Germany won it.'], 'unknown'],
    ['greets', 'Hello to all of you!', ['Hello! How can I help?'], 'answered'],
    ['is thanked', 'thanks a lot', ['You are welcome.'], 'answered'],
    ['fails, and quotes answer', KNOWN, [], 'answered'],
    ['fails, and quotes do not', STRANGE, [], 'unknown'],
  ] as [string, string, string[], string][])('that %s', async (_, query, pieces, outcome) => {
    model.next({ pieces });
    expect((await ask(docent, chatbot, query)).outcome).toBe(outcome);
  });

  it.each([KNOWN, 'Wie lange kann ich eine Lampe zurückgeben, und was kostet das?'])(
    'that says the sentence it was told for it, whatever apostrophe it writes: %s',
    async (query) => {
      await ask(docent, chatbot, query);
      expect(told()).toMatch(/^(?:I don’t know|Das weiß ich nicht)/);
      model.next({ pieces: [`${told().replaceAll('’', "'")} Ask another.`] });
      expect((await ask(docent, chatbot, query)).outcome).toBe('unknown');
    },
  );

  it('that breaks off has not answered', async () => {
    model.next({ pieces: ['Within 45 days [1].', ' And', ' so'], cutAfter: 3, pace: 5 } satisfies Script);
    expect((await ask(docent, chatbot, KNOWN)).outcome).toBe('unknown');
  });
});
