import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PersonRequest } from '../../../server/answer/events.ts';
import { AnswerRuns, NO_META, type Respond } from '../../../server/answer/runs.ts';
import { whenEnded } from '../../../server/answer/stream.ts';
import { createHealth } from '../../../server/health/health.ts';
import { messageUuid } from '../../../server/schema/ids.ts';
import { openLowdbStore } from '../../../server/store/lowdb/lowdb.ts';
import type { Store } from '../../../server/store/store.ts';
import { aChatbot, aSession } from '../../store/records.ts';

const log = pino({ level: 'silent' });
let dir: string;
let store: Store;
let runs: AnswerRuns;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-events-'));
  store = await openLowdbStore({ dir, clock: Date.now, log, health: createHealth() });
});
beforeEach(() => {
  runs = new AnswerRuns({ store, clock: Date.now, log });
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const escalate: Respond = async (_question, run) => {
  run.append('Somebody will be with you soon.');
  return { finish_reason: 'stop', citations: {}, meta: NO_META, requestsPerson: true };
};

async function ask(more: { ephemeral?: true } = {}, respond = escalate) {
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  const session = aSession(chatbot.uuid);
  const uuid = messageUuid(session.uuid);
  const question = { uuid, query: 'a person, please', chatbot, session, newSession: true, ...more };
  return { ids: { chatbot: chatbot.uuid, session: session.uuid, message: uuid }, run: runs.start(question, respond) };
}

it('tells once of a request for a person, after its answer is stored', async () => {
  const told: { request: PersonRequest; stored: Promise<unknown> }[] = [];
  runs.events.on('personRequested', (request) => told.push({ request, stored: store.message(request.message) }));
  const { ids, run } = await ask();
  await whenEnded(run);
  await runs.settled();
  expect(told.map(({ request }) => request)).toEqual([ids]);
  expect(await told[0]!.stored).toMatchObject({ finish_reason: 'stop' });
});

it('tells once of a person who is asked for again in the same conversation', async () => {
  const told: PersonRequest[] = [];
  runs.events.on('personRequested', (request) => told.push(request));
  const { ids, run } = await ask();
  await whenEnded(run);
  const session = (await store.session(ids.session))!;
  const chatbot = (await store.chatbot(ids.chatbot))!;
  const again = { uuid: messageUuid(session.uuid), query: 'a person!', chatbot, session, newSession: false };
  await whenEnded(runs.start(again, escalate));
  await runs.settled();
  expect(told).toEqual([ids]);
  expect(await store.session(ids.session)).toEqual({ ...session, modified_at: expect.anything() });
});

it('tells nothing of an ordinary answer, of one that is not stored, and of one whose session is gone', async () => {
  const told: PersonRequest[] = [];
  runs.events.on('personRequested', (request) => told.push(request));
  await ask({}, async () => ({ finish_reason: 'stop', citations: {}, meta: NO_META }));
  await ask({ ephemeral: true });
  await ask({}, async (question, run) => {
    await run.stored;
    await store.deleteSession(question.session.uuid);
    return escalate(question, run);
  });
  await runs.settled();
  expect(told).toEqual([]);
});

it('ends the answer whatever a listener throws', async () => {
  runs.events.on('personRequested', () => {
    throw new Error('planted');
  });
  const { run } = await ask();
  expect((await whenEnded(run)).message?.finish_reason).toBe('stop');
  await runs.settled();
});
