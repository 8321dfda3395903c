import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mailFigures } from '../../../server/control/weekly-mail.ts';
import { createMailer, type Mailer } from '../../../server/mail/mailer.ts';
import type { SnapshotStore } from '../../../server/store/archive/snapshot.ts';
import { withMailedUntil } from '../../../server/store/shared/members.ts';
import { openStoreOf } from '../../engine/engine.ts';
import { startFakeMail, type FakeMail } from '../../fakes/mail.ts';

/** The figures of the week before, by mail. */

const CHATBOT = 'c'.repeat(32);
const ZERO = { asked: 0, answered: 0, unsure: 0, unknown: 0, handed_over: 0, rated_up: 0, rated_down: 0, refused: 0 };

let dir: string;
let store: SnapshotStore;
let server: FakeMail;
let mailer: Mailer;
let now: number;
const clock = (): number => now;
const warned: string[] = [];
const log = { info() {}, warn: (_: object, sentence: string) => void warned.push(sentence) };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docent-weekly-'));
  now = Date.parse('2026-03-04T12:00:00Z'); // a Wednesday
  warned.length = 0;
  store = await openStoreOf({ dir, clock });
  server = await startFakeMail();
  mailer = createMailer({ url: server.url, from: 'docent@shop.test', ownerAddress: 'ann@shop.test' });
  const meta = { rate_limit: [20, 240], rate_limit_message: '', show_citations: true, visibility: 'public' } as const;
  const at = '2026-02-01T00:00:00Z';
  const chatbot = { uuid: CHATBOT, name: 'Shop', created_at: at, modified_at: at, owner: store.owner.user.uuid };
  await store.createChatbot({ ...chatbot, meta: { ...meta, rate_limit: [20, 240] } }, []);
  await store.updateChatbot(CHATBOT, (one) => withMailedUntil(one, store.owner.user.uuid, '2026-03-02'));
  const day = (on: string, sums: object) => ({
    ...ZERO,
    chatbot: CHATBOT,
    day: on,
    by: '' as const,
    name: '',
    ...sums,
  });
  await store.addFigures(
    [
      day('2026-02-24', { asked: 9, answered: 9 }),
      day('2026-03-02', { asked: 5, answered: 4, unknown: 1 }),
      day('2026-03-08', { asked: 2, answered: 2, rated_up: 1 }),
      day('2026-03-09', { asked: 100 }),
    ],
    {},
  );
});
afterEach(async () => {
  await server.close();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

/** What one server does in an hour. */
const look = (): Promise<void> =>
  mailFigures(
    { store, snapshots: store, mailer, clock, base: 'https://docent.test', log },
    new AbortController().signal,
  );

it('goes once, from Monday on, with the sums of the week and of the one before', async () => {
  await look();
  expect(server.mails).toEqual([]);
  now = Date.parse('2026-03-09T00:30:00Z');
  await look();
  await look();
  expect(server.mails).toHaveLength(1);
  const [{ to, subject, text, head }] = server.mails as [FakeMail['mails'][0]];
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect([to, subject]).toEqual(['ann@shop.test', 'Shop: 7 questions last week, 1 not known']);
  expect(text).toContain('Shop, 2026-03-02 to 2026-03-08');
  expect(text).toMatch(/^Questions +7 +\(9\)$/m);
  expect(text).toMatch(/^Not known +1 +\(0\)$/m);
  expect(text).not.toContain('Over the limit');
  const widths = text
    .split('\n')
    .filter((line) => /\(\d+\)$/.test(line))
    .map((line) => line.length);
  expect(new Set(widths).size).toBe(1);
  expect(widths).toHaveLength(7);
  expect(text).toContain(`https://docent.test/console/chatbot/${CHATBOT}/gaps`);
});

it('says how many questions were over the rate limit, where some were', async () => {
  const refused = { ...ZERO, refused: 12, chatbot: CHATBOT, day: '2026-03-04', by: '' as const, name: '' };
  await store.addFigures([refused], {});
  now = Date.parse('2026-03-09T00:30:00Z');
  await look();
  expect(server.mails[0]?.text).toMatch(/^Over the limit +12 +\(0\)$/m);
});

it('is tried again where the mail server refuses it, and goes to nobody whose role has no figures', async () => {
  now = Date.parse('2026-03-10T08:00:00Z');
  server.instead = { RCPT: '451 later' };
  await look();
  expect([server.mails, warned]).toEqual([[], ['figures not mailed, tried again in an hour']]);
  server.instead = {};
  await look();
  expect(server.mails).toHaveLength(1);

  const user = { uuid: 'e'.repeat(32), email: 'bob@shop.test', created_at: '2026-02-01T00:00:00Z' };
  await store.addUser(user);
  const member = {
    user: user.uuid,
    role: 'operator' as const,
    created_at: user.created_at,
    mailed_until: '2026-03-02',
  };
  await store.updateChatbot(CHATBOT, (one) => ({ ...one, members: [...one.members!, member] }));
  await look();
  expect(server.mails).toHaveLength(1);
});

it('goes to the others where one address is refused, and to nobody else where the server cannot be reached', async () => {
  now = Date.parse('2026-03-09T08:00:00Z');
  const at = '2026-02-01T00:00:00Z';
  const users = ['eve@gone.test', 'bob@shop.test'].map((email, n) => ({
    uuid: `${n}`.repeat(32),
    email,
    created_at: at,
  }));
  for (const user of users) await store.addUser(user);
  const members = users.map(({ uuid }) => ({ user: uuid, role: 'viewer' as const, created_at: at }));
  await store.updateChatbot(CHATBOT, (one) => ({
    ...one,
    members: [...members.map((one) => ({ ...one, mailed_until: '2026-03-02' })), ...one.members!],
  }));
  server.instead = { 'RCPT TO:<eve@gone.test>': '550 no such user' };
  await look();
  expect(server.mails.map(({ to }) => to)).toEqual(['bob@shop.test', 'ann@shop.test']);
  expect(warned).toEqual(['figures refused by the mail server, not sent for this week']);
  // Neither again within the week, nor lost to the next.
  server.instead = {};
  await look();
  expect([server.mails.length, warned.length]).toEqual([2, 1]);
  now = Date.parse('2026-03-16T08:00:00Z');
  await look();
  expect(server.mails.slice(2).map(({ to }) => to)).toEqual(['eve@gone.test', 'bob@shop.test', 'ann@shop.test']);
  now = Date.parse('2026-03-23T08:00:00Z');
  await server.close();
  await expect(look()).rejects.toThrow('cannot be reached');
  expect(warned).toHaveLength(2);
});

it.each([
  ['MAIL FROM', '550 not yours'],
  ['AUTH', '535 wrong'],
  ['.', '451 later'],
])('is tried again where what the operator can mend is refused: %s', async (verb, reply) => {
  now = Date.parse('2026-03-09T08:00:00Z');
  if (verb === 'AUTH')
    mailer = createMailer({
      url: server.url.replace('//', '//me:secret@'),
      from: 'docent@shop.test',
      ownerAddress: 'ann@shop.test',
    });
  server.instead = { [verb === '.' ? 'DATA' : verb]: reply };
  await look().catch(() => {});
  expect([server.mails.length, warned]).toEqual([0, ['figures not mailed, tried again in an hour']]);
  server.instead = {};
  await look();
  expect(server.mails).toHaveLength(1);
});

it('goes to no guest, whose address nobody has proved, until somebody has', async () => {
  now = Date.parse('2026-03-09T08:00:00Z');
  const at = '2026-02-01T00:00:00Z';
  const guest = { uuid: 'e'.repeat(32), email: 'victim@shop.test', created_at: at, invited: true } as const;
  await store.addUser(guest);
  const member = { user: guest.uuid, role: 'viewer' as const, created_at: at, mailed_until: '2026-03-02' };
  await store.updateChatbot(CHATBOT, (one) => ({ ...one, members: [...one.members!, member] }));
  await look();
  expect(server.mails.map(({ to }) => to)).toEqual(['ann@shop.test']);
  await store.admitUser(guest.uuid);
  now = Date.parse('2026-03-16T08:00:00Z');
  await look();
  expect(server.mails.slice(1).map(({ to }) => to)).toEqual(['ann@shop.test', 'victim@shop.test']);
});

it('goes once from two servers', async () => {
  now = Date.parse('2026-03-09T08:00:00Z');
  await Promise.all([look(), look()]);
  expect(server.mails).toHaveLength(1);
});
