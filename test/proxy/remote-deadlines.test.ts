import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRemote, type FakeRemote } from '../fakes/remote.ts';
import { ask, startChatServer, post, uuidOf, textOf, watchAsk, type ChatServer } from './fixture.ts';

const CHATBOT = '0123456789abcdef0123456789abcdef';
// Far longer than a test may take: only the limit of the whole answer can end these.
const SILENCE = { connect: 60_000, firstByte: 60_000, betweenChunks: 60_000 };

let foreign: FakeRemote;
let house: ChatServer;

async function open(answerTimeout: number): Promise<void> {
  house = await startChatServer({
    upstream: { url: foreign.url, apiKey: foreign.key, timeouts: SILENCE, answerTimeout },
  });
}

/** The other server takes these requests and never answers them; resolves when the first has come. */
function silentFor(path: RegExp): Promise<void> {
  return new Promise((came) => {
    foreign.instead = (request) => {
      if (!path.test(request.url ?? '')) return false;
      came();
      return true;
    };
  });
}

beforeEach(async () => {
  foreign = await startFakeRemote();
});
afterEach(async () => {
  await foreign.close();
  await house.stop();
});

describe('the time for a whole answer of another server', () => {
  it('bounds the making of a session', async () => {
    await open(300);
    void silentFor(/\/session\/create$/);
    const last = (await ask(house, CHATBOT, { query: 'How long?' })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });

  it('bounds the second try for a session that the other server has lost', async () => {
    await open(1500);
    const session = uuidOf(await ask(house, CHATBOT, { query: 'How long?' }), 'session');
    foreign.queries.clear();
    void silentFor(/\/session\/create$/);
    const last = (await ask(house, CHATBOT, { query: 'And for Spain?', session })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });

  it('bounds the listing of the record: the answer stays, without citations', async () => {
    await open(1500);
    void silentFor(/\/messages$/);
    const events = await ask(house, CHATBOT, { query: 'How long?' });
    expect(textOf(events)).toBe('You have 30 days.');
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'stop', cite_data_json: '{}' } });
  });

  it('is an error where the record alone could have held the answer', async () => {
    await open(1500);
    foreign.stream = (reply) => void reply.end();
    void silentFor(/\/messages$/);
    const last = (await ask(house, CHATBOT, { query: 'How long?' })).at(-1);
    expect(last).toMatchObject({ event: 'error', data: { code: 'upstream_timeout' } });
  });
});

describe('a visitor who stops', () => {
  it.each([
    ['the session is made', /\/session\/create$/, ''],
    ['the answer is written', /\/message\/stream$/, ''],
    ['the record is listed', /\/messages$/, 'You have 30 days.'],
  ])('while %s waits for nothing more', async (_, path, text) => {
    await open(60_000);
    const asked = silentFor(path);
    const stream = await watchAsk(house, CHATBOT, { query: 'How long?' });
    const events = await stream.until((seen) => seen.some(({ event }) => event === 'message'));
    await asked;
    const [session, message] = [uuidOf(events, 'session'), uuidOf(events, 'message')];
    const url = `${house.base}/chat/${CHATBOT}/session/${session}/message/${message}/stop`;
    expect((await post(url)).status).toBe(200);
    const all = await stream.until((seen) => seen.some(({ event }) => event === 'done'));
    expect(all.at(-1)).toMatchObject({ data: { finish_reason: 'stopped', response: text } });
  });
});
