import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { chatbotsByUse } from '../../server/knowledge/ingest/by-use.ts';
import { start, type Running } from '../running.ts';
import { lowdbFolder } from '../store/lowdb-fixture.ts';
import { aChatbot, aSource } from '../store/records.ts';

it('answers from memory after a restart, once /readyz no longer says that it is warming up', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'docent-warm-'));
  try {
    const before = await start({ DATA_DIR: dataDir });
    const chatbot = (await before.api('POST', '/chatbot/create', { name: 'Ferries', show_citations: true })).body.uuid;
    const question = { question: 'When does the last ferry leave?', answer: 'The last ferry leaves at ten to nine.' };
    await before.api('POST', `/chatbot/${chatbot}/data-source/qa`, question);
    await vi.waitFor(
      async () => {
        const { body } = await before.api('GET', `/chatbot/${chatbot}/data-sources`);
        expect(body).toEqual([expect.objectContaining({ status: 'success' })]);
      },
      { timeout: 20_000 },
    );
    await before.stop();

    const running = await start({ DATA_DIR: dataDir });
    try {
      await vi.waitFor(async () => expect(await readiness(running)).toEqual({ status: 'ok' }), { timeout: 20_000 });
      // What was not loaded by now can be loaded no more.
      await removeDocuments(join(dataDir, 'sources'));
      const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
      const query = 'When does the last ferry leave?';
      const { body } = await running.api('POST', `/session/${session}/message/non-stream`, { query });
      expect(body.response).toContain('at ten to nine');
    } finally {
      await running.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

const readiness = async ({ base }: Running): Promise<unknown> => (await fetch(`${base}/readyz`)).json();

async function removeDocuments(dir: string): Promise<void> {
  const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.document.json'));
  expect(names).toHaveLength(1);
  for (const name of names) await rm(join(dir, name));
}

it('begins with the chatbots that were used last, and leaves out those without sources', async () => {
  const folder = await lowdbFolder()();
  const store = await folder.open();
  try {
    const owner = store.owner.user.uuid;
    const today = Date.parse('2026-03-31T12:00:00Z');
    const add = async (day: string, messages: number, sources = 1): Promise<string> => {
      const chatbot = aChatbot(owner);
      await store.createChatbot(chatbot, []);
      for (let at = 0; at < sources; at++) await store.createSource(aSource(chatbot.uuid));
      const usage = { owner, chatbot: chatbot.uuid, day, model: '', credits: 0, tokens: 0, messages };
      if (messages > 0) await store.addUsage(usage);
      return chatbot.uuid;
    };
    const never = await add('', 0);
    const seldom = await add('2026-03-30', 900);
    const less = await add('2026-03-31', 2);
    const most = await add('2026-03-31', 3);
    await add('2026-03-31', 9, 0);
    expect(await chatbotsByUse(store, () => today)).toEqual([most, less, seldom, never]);
  } finally {
    await store.close();
    await folder.clear();
  }
});
