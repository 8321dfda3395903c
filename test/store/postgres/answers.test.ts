import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { build } from 'vite';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../server/schema/errors.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import {
  answerWith,
  ask,
  manualAnswer,
  messagesOf,
  post,
  startChatServer,
  textOf,
  uuidOf,
  watch,
  watchAsk,
  type ChatServer,
  type ManualAnswer,
  type SeenEvent,
  type WatchedStream,
} from '../../proxy/fixture.ts';
import { until } from '../../running.ts';
import { makeSchema, type Schema } from './fixture.ts';
import { startPostgres } from './server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('answers of several processes', () => {
  let schema: Schema;
  let sql: postgres.Sql;
  let [a, b]: ChatServer[] = [];
  let chatbot: string;
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    const start = () =>
      startChatServer({ openStore: (options) => openPostgresStore({ url: schema.url, max: 4, ...options }) });
    a = await start();
    b = await start();
    chatbot = (await a.chatbot()).uuid;
    sql = postgres(schema.url, { max: 1, onnotice: () => {} });
    // Whatever a bus may tell: no process hears of it.
    await sql`create function lose() returns trigger language plpgsql as 'begin return null; end'`;
    await sql`create trigger lose before insert on notices for each row execute function lose()`;
  });
  afterEach(async () => {
    await sql.end();
    await Promise.all([a!.stop(), b!.stop()]);
    await schema.drop();
  });

  it('are made once for an id that comes to both at the same moment', async () => {
    let made = 0;
    const respond = answerWith('You have ', '30 days.');
    for (const docent of [a!, b!])
      docent.respond = (question, run) => {
        made += 1;
        return respond(question, run);
      };
    for (let n = 1; n <= 10; n++) {
      const question = { query: 'How long?', id: newUuid() };
      const asked = await Promise.all([a!, b!].map((docent) => ask(docent, chatbot, question)));
      expect(made).toBe(n);
      const [one, other] = asked.map((events) => [uuidOf(events, 'session'), uuidOf(events, 'message')]);
      expect(one).toEqual(other);
      expect(await a!.store.messages(one![0]!)).toMatchObject([{ uuid: one![1], response: 'You have 30 days.' }]);
      const again = await ask(b!, chatbot, question);
      expect(textOf(again)).toBe('You have 30 days.');
      expect(made).toBe(n);
    }
  });

  /** Asks A; what it answers is the test's. */
  async function askA(): Promise<{ answer: ManualAnswer; own: WatchedStream; url: string; session: string }> {
    const answer = manualAnswer();
    a!.respond = answer.respond;
    const own = await watchAsk(a!, chatbot, { query: 'How long?' });
    const events = await own.until((seen) => seen.some(({ event }) => event === 'message'));
    const session = uuidOf(events, 'session');
    return { answer, own, session, url: `/chat/${chatbot}/session/${session}/message/${uuidOf(events, 'message')}` };
  }
  const resume = (docent: ChatServer, url: string, from?: number): Promise<WatchedStream> =>
    watch(`${docent.base}${url}/stream`, from === undefined ? {} : { headers: { 'Last-Event-ID': String(from) } });
  const has = (text: string) => (events: SeenEvent[]) => textOf(events) === text;
  const pieces = ['  Thi\0rty', ' days, 🎉', ' \ud83d', 'half a \n\n', '漢字 ', '.'.repeat(50_000), ' the end  '];
  const whole = `  Thi\0rty days, 🎉 \ufffdhalf a \n\n漢字 ${'.'.repeat(50_000)} the end`.trim();
  const rowsOf = async (): Promise<number> => (await sql`select 1 from answer_pieces`).length;

  it('have a uuid that is told once the other process finds them', async () => {
    await sql`
      create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(0.2); return new; end'`;
    await sql`create trigger wait before insert on messages for each row execute function wait()`;
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await answer.end();
    expect(textOf(await read.done)).toBe('Thirty');
    expect((await own.done).at(-1)).toMatchObject({ event: 'done', data: { response: 'Thirty' } });
  });

  it('are read from the other process while they are made, to the last byte', async () => {
    const { answer, own, url, session } = await askA();
    const first = await resume(b!, url);
    await answer.write(pieces[0]!);
    await first.until(has('Thi\0rty'));
    await answer.write(pieces[1]!);
    await first.until(has('Thi\0rty days, 🎉'));
    expect(await messagesOf(b!, chatbot, session)).toMatchObject([
      { response: 'Thi\0rty days, 🎉', finish_reason: '' },
    ]);
    const second = await resume(b!, url, 9);
    for (const piece of pieces.slice(2)) await answer.write(piece);
    const last = await own.until((events) => textOf(events).length === whole.length);
    await first.until(has(whole));
    await answer.end();
    const streams = await Promise.all([own.done, first.done]);
    expect(textOf(last)).toBe(whole);
    for (const events of streams) {
      expect(textOf(events)).toBe(whole);
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: whole, finish_reason: 'stop' } });
    }
    expect(streams[1]!.at(-1)).toEqual(streams[0]!.at(-1));
    expect(textOf(await second.done)).toBe(whole.slice(9));
    expect(await rowsOf()).toBe(0);
  });

  it('tell the readers of both which step runs, and neither of one that has ended', async () => {
    const { answer, own, url } = await askA();
    await answer.write('I look.');
    const other = await resume(b!, url);
    await Promise.all([own, other].map((one) => one.until(has('I look.'))));
    const run = a!.runs.get(url.split('/').pop()!)!;
    const names = (events: SeenEvent[]) => events.flatMap((one) => (one.event === 'step' ? [one.data.name] : []));
    run.setStep('Find the order');
    for (const one of [own, other]) await one.until((events) => names(events).length > 0);
    const late = await resume(b!, url);
    await late.until((events) => names(events).length > 0);
    run.setStep('');
    await answer.write(' Found.');
    await other.until(has('I look. Found.'));
    const last = await resume(b!, url);
    await last.until(has('I look. Found.'));
    run.setStep('Cancel the order');
    for (const one of [own, other, late, last])
      await one.until((events) => names(events).at(-1) === 'Cancel the order');
    await answer.end();
    const seen = await Promise.all([own, other, late, last].map(({ done }) => done));
    const both = ['Find the order', 'Cancel the order'];
    expect(seen.map(names)).toEqual([both, both, both, ['Cancel the order']]);
    expect(await sql`select 1 from answer_pieces`).toHaveLength(0);
  });

  it('are read to the end where it was not written in a batch', async () => {
    const { answer, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty days.');
    await answer.end();
    expect(textOf(await read.done)).toBe('Thirty days.');
  });

  it('fail for the readers of both', async () => {
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await read.until(has('Thirty'));
    await answer.fail(new Refusal('model_timeout', 'the model took too long', { retryAfter: 7 }));
    const told = (await own.done).at(-1);
    expect(told).toMatchObject({ event: 'error', data: { code: 'model_timeout', retry_after: 7 } });
    expect((await read.done).at(-1)).toEqual(told);
    expect((await (await resume(b!, url)).done).at(-1)).toEqual(told);
  });

  it('are written in few statements, and in none where they are short', async () => {
    const { answer, own } = await askA();
    await answer.end();
    await own.done;
    const { answer: long, own: stream } = await askA();
    const begin = performance.now();
    let text = '';
    while (performance.now() - begin < 1000) {
      await long.write('word ');
      text += 'word ';
      await new Promise((done) => setTimeout(done, 5));
    }
    await stream.until(has(text.trim()));
    // The first is written before the interval is over.
    expect(await rowsOf()).toBeLessThanOrEqual(1 + (performance.now() - begin) / 75);
    await long.end();
    await stream.done;
  });

  it('are stopped from the other process, with what was written', async () => {
    const { answer, own, url, session } = await askA();
    await answer.write('Thirty');
    await own.until(has('Thirty'));
    expect(await (await post(`${b!.base}${url}/stop`)).json()).toEqual({ success: true });
    expect(await messagesOf(b!, chatbot, session)).toMatchObject([{ response: 'Thirty', finish_reason: 'stopped' }]);
    expect((await own.done).at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'stopped' } });
  });

  it('are stopped where the other process deletes their conversation, and leave nothing', async () => {
    const { answer, own, session } = await askA();
    await answer.write('Thirty');
    await until(rowsOf, Boolean);
    await post(`${b!.base}/chat/${chatbot}/session/${session}/delete`);
    expect(await rowsOf()).toBe(0);
    expect((await own.done).at(-1)).toMatchObject({ event: 'error', data: { code: 'not_found' } });
    expect(await b!.store.messages(session)).toEqual([]);
  });

  it('are stopped where the other process deletes their chatbot, and leave nothing', async () => {
    const { answer, own, session } = await askA();
    await answer.write('Thirty');
    await until(rowsOf, Boolean);
    expect(await b!.store.deleteChatbot(chatbot)).toBe(true);
    expect((await own.done).at(-1)).toMatchObject({ event: 'error', data: { code: 'not_found' } });
    expect(await rowsOf()).toBe(0);
    expect(await a!.store.session(session)).toBeUndefined();
    expect(await b!.store.messages(session)).toEqual([]);
  });

  it('go on without readers of their own process as long as another has some', async () => {
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await read.until(has('Thirty'));
    await until(
      () => sql`select 1 from messages where followed_at is not null`,
      ({ length }) => length > 0,
    );
    // What is written asks for the state too.
    await answer.write(' days');
    await read.until(has('Thirty days'));
    own.leave();
    const message = url.split('/').pop()!;
    await until(
      async () => a!.runs.get(message)?.hasReaders,
      (hasReaders) => hasReaders === false,
    );
    for (const end = Date.now() + 4000; Date.now() < end; await new Promise((done) => setTimeout(done, 100)))
      a!.runs.interruptUnread();
    await answer.write('.');
    await read.until(has('Thirty days.'));
    read.leave();
    const begin = performance.now();
    const interrupt = () => {
      a!.runs.interruptUnread();
      return b!.store.message(message);
    };
    await until(interrupt, (stored) => stored?.finish_reason === 'interrupted');
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it('go on at the end of their process while a visitor loads the next page, which reads them from another', async () => {
    const { answer, own, url } = await askA();
    await answer.write('Thirty');
    await own.until(has('Thirty'));
    own.leave();
    const run = a!.runs.get(url.split('/').pop()!)!;
    await until(
      async () => run.hasReaders,
      (seen) => !seen,
    );
    const look = (times: number) => Array.from({ length: times }, () => a!.runs.interruptUnread(10));
    look(9);
    const read = await resume(b!, url);
    await until(async () => run.isFollowed, Boolean);
    look(20);
    await answer.write(' days.');
    await answer.end();
    expect((await read.done).at(-1)).toMatchObject({ data: { response: 'Thirty days.', finish_reason: 'stop' } });
  });

  it('are interrupted where others take their process for dead, with all that anybody read', async () => {
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await read.until(has('Thirty'));
    await sql`delete from processes where uuid in (select writer from messages)`;
    await answer.write(' days');
    expect((await read.done).at(-1)).toMatchObject({ event: 'done', data: { finish_reason: 'interrupted' } });
    const { data } = (await own.done).at(-1)!;
    expect(data).toMatchObject({ finish_reason: 'interrupted' });
    const stored = textOf(await (await resume(b!, url)).done);
    expect((data as { response: string }).response).toBe(stored);
    expect(stored.startsWith(textOf(await read.done))).toBe(true);
  });

  it('stay interrupted where their process, taken for dead, ends them all the same', async () => {
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await read.until(has('Thirty'));
    await sql`delete from processes where uuid in (select writer from messages)`;
    await answer.write(' days');
    await answer.end();
    const stored = (await read.done).at(-1)!.data as { response: string };
    expect(stored).toMatchObject({ response: 'Thirty', finish_reason: 'interrupted' });
    expect((await own.done).at(-1)).toMatchObject({ event: 'done', data: stored });
    expect(textOf(await own.done)).toBe('Thirty');
    expect(textOf(await (await resume(b!, url)).done)).toBe('Thirty');
  });

  it('are interrupted for everybody where their end cannot be stored', async () => {
    const { answer, own, url } = await askA();
    const read = await resume(b!, url);
    await answer.write('Thirty');
    await read.until(has('Thirty'));
    await sql`alter table messages add constraint refused check (record not like '%"stop"%') not valid`;
    await answer.end();
    expect((await own.done).at(-1)).toMatchObject({ event: 'error' });
    expect((await read.done).at(-1)).toMatchObject({
      event: 'done',
      data: { response: 'Thirty', finish_reason: 'interrupted' },
    });
  });

  it('are interrupted soon after their process was killed, and read to the end from another', async () => {
    await mkdir('node_modules/.cache', { recursive: true });
    const bundle = await mkdtemp(join('node_modules', '.cache', 'answer-child-'));
    await build({
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      build: { ssr: 'test/store/postgres/answer-child.ts', outDir: bundle, target: 'node20', emptyOutDir: false },
    });
    const child = spawn(process.execPath, [join(bundle, 'answer-child.js'), schema.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    const own = await watchAsk({ ...a!, base: line as string }, chatbot, { query: 'How long?' });
    const events = await own.until((seen) => seen.some(({ event }) => event === 'message'));
    const path = `/session/${uuidOf(events, 'session')}/message/${uuidOf(events, 'message')}`;
    const read = await resume(b!, `/chat/${chatbot}${path}`);
    await read.until((seen) => textOf(seen).includes('word50'));
    const begin = performance.now();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await rm(bundle, { recursive: true });
    const told = await read.done;
    // 15 s, and some for a machine under load.
    expect(performance.now() - begin).toBeLessThan(25_000);
    expect(told.at(-1)).toMatchObject({
      event: 'done',
      data: { finish_reason: 'interrupted', response: textOf(told) },
    });
    const late = await resume(b!, `/chat/${chatbot}${path}`);
    expect(textOf(await late.done)).toBe(textOf(told));
    expect(await b!.store.message(uuidOf(events, 'message'))).toMatchObject({
      finish_reason: 'interrupted',
      response: textOf(told),
    });
    const seen = textOf(own.events());
    expect(seen).not.toBe('');
    expect(textOf(told).startsWith(seen)).toBe(true);
  });
});
