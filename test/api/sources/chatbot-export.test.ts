import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importTarget } from '../../../server/control/open-store.ts';
import { ArchiveFault } from '../../../server/store/archive/format.ts';
import { exportChatbot } from '../../../server/store/archive/export.ts';
import { importArchive } from '../../../server/store/archive/import.ts';
import { databaseOf } from '../../engine/engine.ts';
import { API_KEY, start, until, type Running } from '../../running.ts';

let docent: Running;
beforeAll(async () => void (docent = await start()));
afterAll(() => docent.stop());

const FILE = 'The workshop is open from nine to five on weekdays.\n';

async function newChatbot(): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Shop', visibility: 'public' })).body;
  await docent.api('POST', `/chatbot/${uuid}/widget`, { color: '#0f766e' });
  const qa = { question: 'How long may I return a lamp?', answer: 'You may return a lamp within 45 days.' };
  const source = (await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, qa)).body;
  const form = new FormData();
  form.set('file', new Blob([FILE]), 'hours.txt');
  const uploaded = await fetch(`${docent.base}/api/v1/chatbot/${uuid}/data-source/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${API_KEY}` },
    body: form,
  });
  expect(uploaded.status).toBe(200);
  const tag = { name: 'Returns', color: '#000000', data_source_uuids: [source.uuid] };
  await docent.api('POST', `/chatbot/${uuid}/source-tag/create`, tag);
  const [agent] = (await docent.api('GET', `/chatbot/${uuid}/agents`)).body;
  await docent.api('POST', `/agent/${agent.uuid}/function/create`, {
    name: 'order',
    description: 'Looks up an order.',
    external_url: 'https://shop.example/orders',
    headers: { 'X-Key': 'the-secret-of-the-tool' },
  });
  await until(
    async () => (await docent.api('GET', `/chatbot/${uuid}/data-sources?state=ready`)).body,
    (ready) => ready.length === 2,
  );
  return uuid;
}

async function ask(server: Running, chatbot: string): Promise<string> {
  const { uuid } = (await server.api('POST', `/chatbot/${chatbot}/session/create`, {})).body;
  const query = 'How long may I return a lamp?';
  return (await server.api('POST', `/session/${uuid}/message/non-stream`, { query })).body.response;
}

it('is imported elsewhere, where the chatbot answers as it did', async () => {
  const chatbot = await newChatbot();
  const other = (await docent.api('POST', '/chatbot/create', { name: 'Another' })).body.uuid;
  const answer = await ask(docent, chatbot);
  expect(answer).toContain('45 days');
  await docent.api('POST', `/chatbot/${chatbot}/invitation/create`, { email: 'ann@example.com', role: 'editor' });
  const { status, headers, body } = await docent.api('GET', `/chatbot/${chatbot}/export`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="chatbot-\d{4}-\d\d-\d\d\.jsonl"$/);

  const dir = await mkdtemp(join(tmpdir(), 'docent-elsewhere-'));
  try {
    const into = importTarget({ dataDir: dir, databaseUrl: await databaseOf(dir), databasePool: 2 });
    const counts = await importArchive(Readable.from([Buffer.from(body)]), into, { clock: Date.now, replaces: false });
    expect(counts).toEqual({ chatbot: 1, source: 2, document: 2, file: 1, agent: 1, tag: 1 });
    const elsewhere = await start({ DATA_DIR: dir });
    try {
      expect((await elsewhere.api('GET', '/chatbots')).body.map(({ uuid }: { uuid: string }) => uuid)).toEqual([
        chatbot,
      ]);
      for (const part of ['/widget', '/data-sources', '/source-tags', '/members']) {
        const [here, there] = [docent, elsewhere].map(
          async (one) => (await one.api('GET', `/chatbot/${chatbot}${part}`)).body,
        );
        expect(await there, part).toEqual(await here);
      }
      const [agent] = (await elsewhere.api('GET', `/chatbot/${chatbot}/agents`)).body;
      expect(agent.tool_functions).toEqual([expect.objectContaining({ name: 'order', headers: { 'X-Key': '' } })]);
      expect(await ask(elsewhere, chatbot)).toBe(answer);
    } finally {
      await elsewhere.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  expect((await docent.api('GET', `/chatbot/${other}`)).status).toBe(200);
});

it('has no secret of the server or of its tools, no conversation and nobody who was invited', async () => {
  const chatbot = await newChatbot();
  await ask(docent, chatbot);
  await docent.api('POST', `/chatbot/${chatbot}/invitation/create`, { email: 'bea@example.com', role: 'editor' });
  const { body } = await docent.api('GET', `/chatbot/${chatbot}/export`);
  for (const secret of ['the-secret-of-the-tool', 'bea@example.com', API_KEY]) expect(body).not.toContain(secret);
  expect(body).not.toContain('"session"');
  expect(JSON.parse(body.slice(0, body.indexOf('\n'))).archive.secret).toBe('');
});

it('is cut off visibly: what is left of it is refused as a whole', async () => {
  const { body } = await docent.api('GET', `/chatbot/${await newChatbot()}/export`);
  const dir = await mkdtemp(join(tmpdir(), 'docent-cut-'));
  const into = importTarget({ dataDir: dir, databaseUrl: await databaseOf(dir), databasePool: 2 });
  const cut = body.slice(0, body.lastIndexOf('{"end"'));
  const imported = importArchive(Readable.from([Buffer.from(cut)]), into, { clock: Date.now, replaces: false });
  await expect(imported).rejects.toThrow(ArchiveFault);
  await rm(dir, { recursive: true, force: true });
});

it('is not whole where the chatbot is deleted meanwhile', async () => {
  const none = async () => [];
  const never = async () => undefined;
  const reader = { chatbot: never, sites: none, sources: none, source: never, document: never, vectors: never };
  const chatbot = { uuid: '0'.repeat(32), name: 'Shop' } as never;
  const user = { uuid: '1'.repeat(32), email: 'ann@shop.example', created_at: '' };
  const archive = exportChatbot({ ...reader, file: never, agents: none, tags: none }, chatbot, user, Date.now);
  await expect(buffer(archive)).rejects.toThrow('the chatbot was deleted while it was exported');
});
