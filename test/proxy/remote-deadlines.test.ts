import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRemote, type FakeRemote } from '../fakes/remote.ts';
import { ask, startChatServer, post, uuidOf, textOf, watchAsk, type ChatServer } from './fixture.ts';

const CHATBOT = '0123456789abcdef0123456789abcdef';
// Far longer than a test may take: only the deadline of the whole answer can end these.
const SILENCE = { connect: 60_000, firstByte: 60_000, betweenChunks: 60_000 };

let remote: FakeRemote;
let docent: ChatServer;

async function open(answerTimeout: number): Promise<void> {
  docent = await startChatServer({
    upstream: { url: remote.url, apiKey: remote.key, timeouts: SILENCE, answerTimeout },
  });
}

/** The remote server never answers these requests; resolves when the first has arrived. */
function silentFor(path: RegExp): Promise<void> {
  return new Promise((came) => {
    remote.instead = (request) => {
      if (!path.test(request.url ?? '')) return false;
      came();
      return true;
    };
  });
}

beforeEach(async () => {
  remote = await startFakeRemote();
});
afterEach(async () => {
  await remote.close();
  await docent.stop();
});

describe('the deadline of a remote answer', () => {
  it('bounds the creation of a session', async () => {
    await open(300);
    void silentFor(/\/session\/create$/);
    const last = (await ask(docent, CHATBOT, { query: 'How long?' })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });

  it('bounds the second attempt after the remote server lost the session', async () => {
    await open(1500);
    const session = uuidOf(await ask(docent, CHATBOT, { query: 'How long?' }), 'session');
    remote.queries.clear();
    void silentFor(/\/session\/create$/);
    const last = (await ask(docent, CHATBOT, { query: 'And for Spain?', session })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });

  it('bounds the request for the record: the answer stays, without citations', async () => {
    await open(1500);
    void silentFor(/\/messages$/);
    const events = await ask(docent, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'stop', cite_data_json: '{}' } });
  });

  it('is an error where only the record could hold the answer', async () => {
    await open(1500);
    remote.stream = (reply) => void reply.end();
    void silentFor(/\/messages$/);
    const last = (await ask(docent, CHATBOT, { query: 'How long?' })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });
});

describe('a visitor who stops', () => {
  it.each([
    ['the session is created', /\/session\/create$/, ''],
    ['the answer is written', /\/message\/stream$/, ''],
    ['the record is listed', /\/messages$/, 'You have 30 days.'],
  ])('while %s gets the end of the answer at once', async (_, path, text) => {
    await open(60_000);
    const asked = silentFor(path);
    const stream = await watchAsk(docent, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => seen.some(({ event }) => event === 'message'));
    await asked;
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const url = `${docent.base}/chat/${CHATBOT}/session/${session}/message/${message}/stop`;
    expect((await post(url)).status).toBe(200);
    const all = await stream.until((seen) => seen.some(({ event }) => event === 'done'));
    expect(all.at(-1)).toMatchObject({ data: { finish_reason: 'stopped', response: text } });
  });
});
