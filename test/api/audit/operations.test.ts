import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiDeps, Operation } from '../../../server/api/requests/operation.ts';
import { operations } from '../../../server/api/router.ts';
import { API_KEY } from '../../running.ts';
import { queryRows } from '../../engine/engine.ts';
import { newChatbot, OTHER_KEY, QA, startApiFixture, type ApiFixture } from '../api-fixture.ts';
import { rows } from '../contract/rows.ts';

/** What the audit log says of each operation, and that nothing of what was sent or told stands in it. */

const all = operations({} as ApiDeps);

/** Changes that are not logged, and why. */
const UNLOGGED = {
  createSession: 'the session is the record of it, and says that a key has made it',
  createMessage: 'the message is the record of it; in the session of a visitor it is noted as a read is',
  streamMessage: 'the message is the record of it; in the session of a visitor it is noted as a read is',
  getSiteLook: 'it reads a page of a site, and stores nothing',
};

/** Whatever hands out what visitors wrote. */
const READS = [
  // It has no conversation, but all else that there is.
  'exportChatbot',
  'exportConversations',
  'getMessage',
  'getSession',
  'getTranscript',
  'listConversations',
  'listGaps',
  'listMessages',
  'listSessions',
  'traceMessage',
  'traceRouting',
];

it('is declared by each operation: what changes something, and what hands out visitors’ words', () => {
  const wanted = ({ id, method, path }: Operation): string[] => {
    if (READS.includes(id)) return ['reads'];
    if (id in UNLOGGED || method === 'GET') return ['none'];
    return path.includes(':uuid') && id !== 'deleteChatbot' ? ['changes'] : ['changes', 'changes account'];
  };
  expect(all.filter((one) => !wanted(one).includes(one.audit)).map(({ id, audit }) => [id, audit])).toEqual([]);
  const ids = all.map(({ id }) => id);
  expect([...READS, ...Object.keys(UNLOGGED)].filter((id) => !ids.includes(id))).toEqual([]);
});

/** What an owner reads has no word of the interface. */
const OWNERS = /^(?!.*\b(?:sessions?|crawls?|ingest|fetch|URL)\b)[^`]+$/i;

let w: ApiFixture;
beforeAll(async () => void (w = await startApiFixture()), 60_000);
afterAll(() => w.stop());

/** The newest entries of the chatbot's log, or of the owner's own. */
const logOf = async (chatbot?: string): Promise<Record<string, string>[]> =>
  (await w.call('GET', chatbot === undefined ? '/api/v1/user/audit' : `/api/v1/chatbot/${chatbot}/audit`)).body;

describe.each(all.filter(({ right }) => right !== 'open'))('$id', (one) => {
  const row = rows[`${one.method} ${one.path}`]!;

  it(`writes ${one.audit === 'none' || row.withoutModel ? 'nothing' : 'an entry'}`, async () => {
    const chatbot = await newChatbot(w);
    const uuid = row.on ? await row.on(w, chatbot) : chatbot;
    const before = [...(await logOf(chatbot)), ...(await logOf())].map((entry) => entry['uuid']);
    const path = one.path.replace(':uuid', uuid).replace(':chatbot', chatbot) + (row.search ?? '');
    const reply = await w.call(one.method, path, row.send?.(uuid, w));
    expect(reply.status, JSON.stringify(reply.body)).toBe(row.withoutModel ?? 200);
    // What is refused is no entry.
    const isLogged = one.audit !== 'none' && reply.status === 200;
    // Whoever deletes the chatbot or leaves it sees its log no more.
    const ofChatbot = one.id === 'deleteChatbot' || one.id === 'leaveChatbot' ? [] : await logOf(chatbot);
    const written = [...ofChatbot, ...(await logOf())].filter((entry) => !before.includes(entry['uuid']));
    if (!isLogged || one.id === 'leaveChatbot') return expect(written).toEqual([]);
    const [entry] = written;
    expect(written).toHaveLength(1);
    expect(entry).toMatchObject({
      operation: one.id,
      summary: expect.stringMatching(OWNERS),
      email: 'owner@localhost',
    });
    expect(entry!['by']).toEqual({ type: 'key', uuid: '', hint: 'API_KEY' });
    const isOfNone = one.id === 'sendTestMail' || one.id === 'testServerModels';
    expect(entry!['record']).toBe(isOfNone ? '' : one.creates ? reply.body.uuid : uuid);
  });
});

it('has no value that was sent, no key and no word of a visitor, whatever was called', async () => {
  const sent = all.flatMap((one) => stringsIn(rows[`${one.method} ${one.path}`]?.send?.('0'.repeat(32), w)));
  const told = ['Ann@shop.example', 'ann@shop.example', 'editor', 'operator'];
  const canaries = [...sent, QA.question, QA.answer, API_KEY, OTHER_KEY, 'invitation='].filter(
    (text) => text.length > 5 && !told.includes(text) && !/^0+$/.test(text),
  );
  expect(canaries.length).toBeGreaterThan(40);
  const log = await wholeLog();
  expect(log).toContain('ann@shop.example, editor');
  expect(canaries.filter((text) => log.includes(text))).toEqual([]);
});

/** Those in quotes that no name of a field has. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [`"${value}`, value].filter((text) => !/^"?[a-z_]+$/.test(text));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

async function wholeLog(): Promise<string> {
  const stored = await queryRows(w.docent.dataDir, 'select record from audit');
  if (stored) return stored.map(({ record }) => record).join('\n');
  const dir = join(w.docent.dataDir, 'audit');
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  const texts = files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}
