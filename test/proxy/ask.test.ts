import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onFiles } from '../engine/engine.ts';
import {
  answerWith,
  ask,
  manualAnswer,
  messagesOf,
  startChatServer,
  parseEvents,
  post,
  textOf,
  uuidOf,
  type ChatServer,
} from './fixture.ts';

let docent: ChatServer;
let chatbot: string;

beforeAll(async () => {
  docent = await startChatServer();
});
afterAll(() => docent.stop());
beforeEach(async () => {
  docent.respond = answerWith('You have ', '30 days.');
  chatbot = (await docent.chatbot()).uuid;
});

describe('a question', () => {
  it('streams session, message, deltas and done, in this order', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?' });
    const kinds = events.map(({ event }) => event);
    expect(kinds.slice(0, 2)).toEqual(['session', 'message']);
    expect(new Set(kinds.slice(2, -1))).toEqual(new Set(['delta']));
    expect(textOf(events)).toBe('You have 30 days.');
    expect(events.findLast(({ event }) => event === 'delta')?.id).toBe('17');
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { response: 'You have 30 days.', finish_reason: 'stop' },
    });
    expect(uuidOf(events, 'message')).toBe((events.at(-1)!.data as { uuid: string }).uuid);
  });

  it('sends no session event where the request named the session', async () => {
    const session = uuidOf(await ask(docent, chatbot, { query: 'One?' }), 'session');
    const events = await ask(docent, chatbot, { query: 'Two?', session });
    expect(events[0]?.event).toBe('message');
    expect((await messagesOf(docent, chatbot, session)).map((one: { query: string }) => one.query)).toEqual([
      'One?',
      'Two?',
    ]);
  });

  describe('that replaces the last message', () => {
    const listed = async (session: string): Promise<string[]> =>
      (await messagesOf(docent, chatbot, session)).map((one: { query: string }) => one.query);

    it('leaves the earlier one out of the visitor’s list, and keeps its record with the uuid of the new one', async () => {
      const first = await ask(docent, chatbot, { query: 'One?' });
      const session = uuidOf(first, 'session');
      const second = await ask(docent, chatbot, { query: 'Two?', session });
      const replaces = uuidOf(second, 'message');
      const id = 'an-id-of-the-client';
      const third = await ask(docent, chatbot, { query: 'Two?', session, replaces, id });
      expect(third.at(-1)).toMatchObject({ event: 'done', data: { response: 'You have 30 days.' } });
      expect(await listed(session)).toEqual(['One?', 'Two?']);
      expect((await messagesOf(docent, chatbot, session)).at(-1)).toMatchObject({ uuid: uuidOf(third, 'message') });
      const kept = await docent.store.message(replaces);
      expect(kept).toMatchObject({ query: 'Two?', response: 'You have 30 days.' });
      expect(JSON.parse(kept!.meta_json)).toMatchObject({ replaced_by: uuidOf(third, 'message') });
      // The same request again is the same message.
      const again = await ask(docent, chatbot, { query: 'Two?', session, replaces, id });
      expect(uuidOf(again, 'message')).toBe(uuidOf(third, 'message'));
      expect(await listed(session)).toEqual(['One?', 'Two?']);
    });

    it('is replaced once by requests of the same moment', async () => {
      const first = await ask(docent, chatbot, { query: 'One?' });
      const body = { query: 'One?', session: uuidOf(first, 'session'), replaces: uuidOf(first, 'message') };
      const replies = await Promise.all([1, 2, 3].map(() => post(`${docent.base}/chat/${chatbot}/ask`, body)));
      await Promise.all(replies.map((reply) => reply.text()));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
      expect(await listed(body.session)).toEqual(['One?']);
    });

    it('is replaced by a later request where the first one was cut off', async () => {
      const first = await ask(docent, chatbot, { query: 'One?' });
      const body = { query: 'One?', session: uuidOf(first, 'session'), replaces: uuidOf(first, 'message') };
      const cutOff = (one: { meta_json: string }) =>
        JSON.stringify({ ...JSON.parse(one.meta_json), replaced_by: 'f'.repeat(40) });
      await docent.store.updateMessage(body.replaces, (one) => ({ ...one, meta_json: cutOff(one) }));
      expect((await post(`${docent.base}/chat/${chatbot}/ask`, body)).status).toBe(409);
      docent.clock.now += 20_000;
      const again = await ask(docent, chatbot, body);
      expect(await messagesOf(docent, chatbot, body.session)).toMatchObject([{ uuid: uuidOf(again, 'message') }]);
    });

    it.each(['an earlier one', 'one of another session', 'none', 'without a session'])(
      'is 409 and stores nothing for %s',
      async (which) => {
        const first = await ask(docent, chatbot, { query: 'One?' });
        const session = uuidOf(first, 'session');
        await ask(docent, chatbot, { query: 'Two?', session });
        const other = await ask(docent, chatbot, { query: 'Other?' });
        const replaces =
          which === 'an earlier one'
            ? uuidOf(first, 'message')
            : which === 'none'
              ? 'f'.repeat(40)
              : uuidOf(other, 'message');
        const body = { query: 'Again?', replaces, ...(which === 'without a session' ? {} : { session }) };
        const reply = await post(`${docent.base}/chat/${chatbot}/ask`, body);
        expect(reply.status).toBe(409);
        expect(await reply.json()).toMatchObject({ code: 'conflict', field: 'replaces' });
        expect(await listed(session)).toEqual(['One?', 'Two?']);
      },
    );
  });

  it('is streamed with headers that stop proxies from buffering it', async () => {
    const reply = await post(
      `${docent.base}/chat/${chatbot}/ask`,
      { query: 'How long?' },
      { 'Accept-Encoding': 'gzip, br' },
    );
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.headers.get('content-encoding')).toBeNull();
    const text = await reply.text();
    expect(text).toMatch(/^event: session\ndata: \{"uuid":"[0-9a-f]{32}"\}\n\nevent: message\ndata: /);
    expect(text).toMatch(/\n\nid: \d+\nevent: delta\ndata: \{"text":"[^\n]*"\}\n\n/);
  });

  it('in a session of another chatbot is 404', async () => {
    const other = (await docent.chatbot()).uuid;
    const session = uuidOf(await ask(docent, chatbot, { query: 'One?' }), 'session');
    expect((await post(`${docent.base}/chat/${other}/ask`, { query: 'Two?', session })).status).toBe(404);
    expect(await messagesOf(docent, chatbot, session)).toHaveLength(1);
  });

  it('is stored with its white space and every character', async () => {
    const query = ' \u{1f600} two  spaces\n\u2028"';
    const events = await ask(docent, chatbot, { query });
    expect(events.at(-1)).toMatchObject({ data: { query } });
  });
});

describe('the same question sent again with its id', () => {
  it('gets the same events from the start and starts no new answer', async () => {
    const first = await ask(docent, chatbot, { query: 'How long?', id: 'a-1' });
    docent.respond = answerWith('Another answer.');
    const again = await ask(docent, chatbot, { query: 'How long?', id: 'a-1' });
    expect(again[0]).toEqual(first[0]);
    expect(again[1]).toEqual(first[1]);
    expect(textOf(again)).toBe('You have 30 days.');
    expect(again.at(-1)).toEqual(first.at(-1));
  });

  it('at the same moment creates one session, one message and one answer', async () => {
    let answers = 0;
    docent.respond = (question, run) => {
      answers += 1;
      return answerWith('You have ', '30 days.')(question, run);
    };
    const body = { query: 'How long?', id: 'twins' };
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(docent, chatbot, body)));
    expect(new Set(all.map((events) => uuidOf(events, 'session'))).size).toBe(1);
    expect(new Set(all.map((events) => uuidOf(events, 'message'))).size).toBe(1);
    expect(new Set(all.map(textOf))).toEqual(new Set(['You have 30 days.']));
    expect(answers).toBe(1);
    expect(await messagesOf(docent, chatbot, uuidOf(all[0]!, 'session'))).toHaveLength(1);
  });

  it('is streamed while the first is still being answered', async () => {
    const answer = manualAnswer();
    docent.respond = answer.respond;
    const first = ask(docent, chatbot, { query: 'How long?', id: 'slow' });
    await answer.write('You have ');
    const second = ask(docent, chatbot, { query: 'How long?', id: 'slow' });
    await new Promise((done) => setTimeout(done, 20));
    await answer.write('30 days.');
    await answer.end();
    expect([textOf(await first), textOf(await second)]).toEqual(['You have 30 days.', 'You have 30 days.']);
  });

  it('with another query is a conflict, in its first session and later', async () => {
    const events = await ask(docent, chatbot, { query: 'How long?', id: 'b' });
    const session = uuidOf(events, 'session');
    const first = await post(`${docent.base}/chat/${chatbot}/ask`, { query: 'How much?', id: 'b' });
    expect([first.status, (await first.json()).code]).toEqual([409, 'conflict']);
    await ask(docent, chatbot, { query: 'And?', session, id: 'c' });
    expect((await post(`${docent.base}/chat/${chatbot}/ask`, { query: 'Or?', session, id: 'c' })).status).toBe(409);
    expect(await messagesOf(docent, chatbot, session)).toHaveLength(2);
  });

  it('finds the message of a first question when it names the session made by it', async () => {
    const first = await ask(docent, chatbot, { query: 'How long?', id: 'd' });
    const session = uuidOf(first, 'session');
    const again = await ask(docent, chatbot, { query: 'How long?', id: 'd', session });
    expect(again.map(({ event }) => event)).toEqual(['message', 'delta', 'done']);
    expect(uuidOf(again, 'message')).toBe(uuidOf(first, 'message'));
  });

  it('is another message in another session and at another chatbot', async () => {
    const other = (await docent.chatbot()).uuid;
    const here = await ask(docent, chatbot, { query: 'How long?', id: 'd' });
    const there = await ask(docent, other, { query: 'How much?', id: 'd' });
    const { uuid: session } = await (await post(`${docent.base}/chat/${chatbot}/session`)).json();
    const later = await ask(docent, chatbot, { query: 'Or?', session, id: 'd' });
    expect(new Set([here, there, later].map((events) => uuidOf(events, 'message'))).size).toBe(3);
    expect(uuidOf(there, 'session')).not.toBe(uuidOf(here, 'session'));
  });

  it('is 404 at another chatbot with the session of this one, while it is answered and later', async () => {
    const other = (await docent.chatbot()).uuid;
    const { uuid: session } = await (await post(`${docent.base}/chat/${chatbot}/session`)).json();
    const answer = manualAnswer();
    docent.respond = answer.respond;
    const question = { query: 'How long?', session, id: 'elsewhere' };
    // At the same moment, too.
    const first = ask(docent, chatbot, question);
    const askOther = async (): Promise<number> => (await post(`${docent.base}/chat/${other}/ask`, question)).status;
    expect(await askOther()).toBe(404);
    await answer.write('You have 30 days.');
    expect(await askOther()).toBe(404);
    await answer.end();
    expect(textOf(await first)).toBe('You have 30 days.');
    expect(await askOther()).toBe(404);
    expect(await messagesOf(docent, chatbot, session)).toHaveLength(1);
  });

  it('is found again after a restart', async () => {
    const before = await startChatServer();
    const { uuid } = await before.chatbot();
    const first = await ask(before, uuid, { query: 'How long?', id: 'e' });
    await before.stop({ keep: true });
    const after = await startChatServer({ dir: before.dir });
    after.respond = answerWith('Another answer.');
    const again = await ask(after, uuid, { query: 'How long?', id: 'e' });
    expect([again[0], again[1], again.at(-1)]).toEqual([first[0], first[1], first.at(-1)]);
    await after.stop();
  });
});

describe('the rate limit', () => {
  const LIMITED = { rate_limit: [1, 60] as [number, number], rate_limit_message: 'Too many messages' };
  const refusalOf = async (uuid: string, query: string, language: string): Promise<string> => {
    await ask(docent, uuid, { query });
    const headers = { 'content-type': 'application/json', 'accept-language': language };
    const body = JSON.stringify({ query });
    const refused = await fetch(`${docent.base}/chat/${uuid}/ask`, { method: 'POST', headers, body });
    return ((await refused.json()) as { error: string }).error;
  };

  it.each([
    ['en', 'How long?', 'en', undefined, 'Too many messages'],
    ['the question', 'Wie lange habe ich Zeit, um etwas zurückzugeben?', 'en-GB', undefined, 'Zu viele Nachrichten'],
    ['the browser', '42', 'pt-BR,pt;q=0.9', undefined, 'Demasiadas mensagens'],
    ['the widget’s setting', '42', 'pt-BR', 'sv', 'För många meddelanden'],
    ['English for an unknown language', '42', 'xx', undefined, 'Too many messages'],
  ])('refuses with the default message in the language of %s', async (_, query, accepted, language, message) => {
    const { uuid } = await docent.chatbot(LIMITED);
    if (language) await docent.store.updateChatbot(uuid, (chatbot) => ({ ...chatbot, widget: { language } }));
    expect(await refusalOf(uuid, query, accepted)).toBe(message);
  });

  it('refuses with the owner’s message as it is, in any language', async () => {
    const { uuid } = await docent.chatbot({ ...LIMITED, rate_limit_message: 'Too many messages!' });
    expect(await refusalOf(uuid, 'Wie lange habe ich Zeit, um etwas zurückzugeben?', 'de')).toBe('Too many messages!');
  });

  // On PostgreSQL visits are counted by its own clock, which no test sets: test/store/postgres/visits.test.ts.
  it.runIf(onFiles)('refuses with the owner’s message and the exact time to wait', async () => {
    const { uuid } = await docent.chatbot({ rate_limit: [2, 60] });
    const session = uuidOf(await ask(docent, uuid, { query: 'One?' }), 'session');
    docent.clock.now += 12_400;
    await ask(docent, uuid, { query: 'Two?', session });
    const refused = await post(`${docent.base}/chat/${uuid}/ask`, { query: 'Three?', session });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=48');
    expect(refused.headers.get('ratelimit-policy')).toMatch(/^"default";q=2;w=\d+$/);
    expect(await refused.json()).toEqual({ error: 'Slow down, please', code: 'rate_limited', retry_after: 48 });
    expect(refused.headers.get('retry-after')).toBe('48');
    expect(await messagesOf(docent, uuid, session)).toHaveLength(2);
    docent.clock.now += 47_000;
    expect((await post(`${docent.base}/chat/${uuid}/ask`, { query: 'Three?', session })).status).toBe(429);
    docent.clock.now += 1_000;
    await ask(docent, uuid, { query: 'Three?', session });
  });

  it('stores nothing of a first question that it refuses', async () => {
    const { uuid } = await docent.chatbot({ rate_limit: [1, 60] });
    await ask(docent, uuid, { query: 'One?', id: 'one' });
    expect((await post(`${docent.base}/chat/${uuid}/ask`, { query: 'Two?', id: 'two' })).status).toBe(429);
    expect(await docent.store.sessions(uuid)).toHaveLength(1);
  });

  it.runIf(onFiles)('does not count repeats, and a refused id can be used again later', async () => {
    const { uuid } = await docent.chatbot({ rate_limit: [2, 60] });
    const body = { query: 'One?', id: 'one' };
    for (let i = 0; i < 4; i += 1) await ask(docent, uuid, body);
    await ask(docent, uuid, { query: 'Two?', id: 'two' });
    expect((await post(`${docent.base}/chat/${uuid}/ask`, { query: 'Three?', id: 'three' })).status).toBe(429);
    await ask(docent, uuid, body);
    docent.clock.now += 60_000;
    await ask(docent, uuid, { query: 'Three?', id: 'three' });
  });

  it('counts each chatbot separately', async () => {
    const [one, two] = [await docent.chatbot({ rate_limit: [1, 60] }), await docent.chatbot({ rate_limit: [1, 60] })];
    await ask(docent, one.uuid, { query: 'One?' });
    await ask(docent, two.uuid, { query: 'One?' });
    expect((await post(`${docent.base}/chat/${one.uuid}/ask`, { query: 'Two?' })).status).toBe(429);
  });

  it('ignores X-Forwarded-For unless TRUST_PROXY_HOPS is set', async () => {
    const { uuid } = await docent.chatbot({ rate_limit: [1, 60] });
    const from = (address: string) =>
      post(`${docent.base}/chat/${uuid}/ask`, { query: 'One?' }, { 'X-Forwarded-For': address }).then(
        ({ status }) => status,
      );
    expect([await from('198.51.100.1'), await from('198.51.100.2')]).toEqual([200, 429]);
  });

  it('counts by the address that the trusted proxy saw', async () => {
    const behind = await startChatServer({ routerOptions: { trustProxyHops: 1 } });
    const { uuid } = await behind.chatbot({ rate_limit: [1, 60] });
    const from = (address: string) =>
      post(`${behind.base}/chat/${uuid}/ask`, { query: 'One?' }, { 'X-Forwarded-For': address }).then(
        ({ status }) => status,
      );
    expect(await from('10.9.9.9, 198.51.100.1')).toBe(200);
    expect(await from('10.8.8.8, 198.51.100.1')).toBe(429);
    expect(await from('198.51.100.2')).toBe(200);
    await behind.stop();
  });

  it.each([
    ['of 22 characters', 'abcdefghijklmnopqrstuv', 1],
    ['that could be guessed', 'abcdefghijklmnopqrstu', 2],
  ])('a first question repeated from another address with an id %s', async (_, id, sessions) => {
    const behind = await startChatServer({ routerOptions: { trustProxyHops: 1 } });
    const { uuid } = await behind.chatbot();
    const from = async (address: string) => {
      const headers = { 'X-Forwarded-For': address };
      const reply = await post(`${behind.base}/chat/${uuid}/ask`, { query: 'One?', id }, headers);
      return uuidOf(parseEvents(await reply.text()), 'session');
    };
    const made = new Set([await from('198.51.100.1'), await from('198.51.100.2')]);
    expect(made.size).toBe(sessions);
    await behind.stop();
  });

  it('logs one warning where X-Forwarded-For comes and TRUST_PROXY_HOPS is 0', async () => {
    const behind = await startChatServer();
    const { uuid } = await behind.chatbot();
    const warnings = () => behind.logged.filter((line) => line.includes('TRUST_PROXY_HOPS'));
    await (await fetch(`${behind.base}/chat/${uuid}`)).text();
    expect(warnings()).toEqual([]);
    for (let i = 0; i < 3; i += 1) {
      await (await fetch(`${behind.base}/chat/${uuid}`, { headers: { 'X-Forwarded-For': '198.51.100.1' } })).text();
    }
    expect(warnings()).toHaveLength(1);
    await behind.stop();
  });
});
