import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../server/control/client.ts';
import { connectToSocket } from '../../server/control/socket.ts';
import { differencesOf } from '../../server/conversations/compare.ts';
import { readConversationFiles } from '../../server/conversations/files.ts';
import type { ConversationFile } from '../../server/conversations/format.ts';
import { runConversations } from '../../server/conversations/run.ts';
import { runCommand } from '../../server/cli/run.ts';
import type { Chatbot } from '../../server/schema/records.ts';
import { startFakeModel, type FakeModel } from '../fakes/model.ts';
import { start, type Running } from '../running.ts';

/**
 * Conversations with the demo's team, written by somebody who had not seen the code; the agents of demo/team.ts were
 * never tuned on those of never-tuned-on.yaml.
 */
const TABLES = ['test/conversations/table.yaml', 'test/conversations/never-tuned-on.yaml'];

/** By conversation: turns, counted from 1, with the keys that do not hold yet without a model. */
const known = JSON.parse(readFileSync('test/conversations/known-failures.json', 'utf8')) as Record<string, string[]>;

let model: FakeModel;
beforeAll(async () => (model = await startFakeModel({ script: { pieces: ['By the ', 'model.'] } })));
afterAll(() => model.close());

describe.each([['without a model', false] as const, ['with the fake model', true] as const])('%s', (_, hasModel) => {
  let running: Running;
  beforeAll(async () => {
    const env = hasModel ? { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' } : {};
    running = await start({ DEMO: '1', ...env });
    await running.booted.demo!.prepare();
    await running.booted.demo!.learned(60_000);
  });
  afterAll(() => running.stop());

  async function failuresOf(files: ConversationFile[]) {
    const { chatbot, call } = await new Client(connectToSocket(running.dataDir)).api('Tolliver & Wren');
    const record = await call<Chatbot>('GET', `/api/v1/chatbot/${chatbot.uuid}`);
    const judged = await runConversations(files, { door: async () => ({ call, chatbot: record }) });
    return judged.map(({ conversation, turns }) => ({
      name: conversation.name,
      failed: turns.flatMap(({ held }, at) => {
        const keys = differencesOf(held, true).map(({ what }) => what);
        // The fake model says the same to every question: it cites nothing, and assigns no tag.
        const checked = keys.filter(
          (key) => !hasModel || held.fault !== undefined || !/^(?:answer|cites|labels)$/.test(key),
        );
        return [...new Set(checked)].map((key) => `${at + 1} ${key}`);
      }),
    }));
  }

  it('holds what it held, in 60 conversations', async () => {
    const files = (await Promise.all(TABLES.map(readConversationFiles))).flat();
    const judged = await failuresOf(files);
    expect(judged).toHaveLength(60);
    const broken = judged.flatMap(({ name, failed }) =>
      failed.filter((one) => !known[name]?.includes(one)).map((one) => `${name}: turn ${one}`),
    );
    if (process.env['SHOW_FAILURES'])
      console.log(JSON.stringify(Object.fromEntries(judged.map((one) => [one.name, one.failed]))));
    expect(broken).toEqual([]);
  });

  it.skipIf(hasModel)('holds the demo’s own conversations', async () => {
    const said = { out: '', err: '' };
    const terminal = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) };
    const code = await runCommand(['test', 'demo/conversations.yaml'], { DATA_DIR: running.dataDir }, terminal);
    expect({ code, ...said }).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^\d+ conversations: \d+ held, 0 failed/),
    });
  });
});

it('lists as failing only conversations of the table', async () => {
  const files = (await Promise.all(TABLES.map(readConversationFiles))).flat();
  const names = files.flatMap(({ conversations }) => conversations.map(({ name }) => name));
  expect(new Set(names).size).toBe(60);
  expect(Object.keys(known).filter((name) => !names.includes(name))).toEqual([]);
});
