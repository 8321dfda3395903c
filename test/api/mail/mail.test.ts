import { afterEach, beforeEach, expect, it } from 'vitest';
import { newChatbot, OTHER_KEY, startApiFixture, type ApiFixture } from '../api-fixture.ts';
import { cookieOf, OWN, send } from '../../console/requests.ts';
import type { FakeMail } from '../../fakes/mail.ts';

/** Mail that requests send. */

let server: FakeMail;
let w: ApiFixture;
beforeEach(async () => {
  w = await startApiFixture();
  server = w.mail;
});
afterEach(() => w.stop());

const test = (key?: string) => w.call('POST', '/api/v1/mail/test', {}, key);

it('goes to the own address as a test, and for owner@localhost to OWNER_EMAIL', async () => {
  expect((await test()).body).toEqual({ success: true });
  expect((await test(OTHER_KEY)).body).toEqual({ success: true });
  expect(server.mails.map(({ to, subject }) => [to, subject])).toEqual([
    ['ann@shop.test', 'Mail from Docent works'],
    ['other@example.com', 'Mail from Docent works'],
  ]);
  expect(server.mails[0]!.text).toContain(w.docent.base);
  expect(server.credentials[0]).toBe('\0docent@shop.test\0p/w');
});

it.each([
  ['AUTH', '535 wrong', 'refuses the user or the password of SMTP_URL (SMTP 535)'],
  ['RCPT', '550 no such user', 'check MAIL_FROM, and the address that it goes to (SMTP 550)'],
])('says what is wrong where %s is refused, without what is secret', async (verb, reply, sentence) => {
  server.instead = { [verb]: reply };
  const { status, body } = await test();
  expect(status).toBe(502);
  expect(body.error).toContain(sentence);
  expect(JSON.stringify(body)).not.toMatch(/p\/w|p%2Fw|AHAvdw/);
  server.instead = {};
  expect((await test()).status).toBe(200);
});

it('says that the server cannot be reached', async () => {
  await server.close();
  const { status, body } = await test();
  expect(status).toBe(502);
  expect(body.error).toBe('the mail server cannot be reached: check the host and port of SMTP_URL');
});

it('is at most 10 of one user in six minutes', async () => {
  for (let i = 0; i < 10; i++) expect((await test()).status).toBe(200);
  const { status, body } = await test();
  expect([status, body.code]).toEqual([429, 'rate_limited']);
  expect((await test(OTHER_KEY)).status).toBe(200);
  expect(server.mails).toHaveLength(11);
});

it('goes as a test, or each week, to no address that nobody has proved: that of a guest', async () => {
  const chatbot = await newChatbot(w, 'Shop');
  const invitation = { email: 'victim@shop.test', role: 'viewer' };
  const { body } = await w.call('POST', `/api/v1/chatbot/${chatbot}/invitation/create`, invitation);
  const link = (body.link as string).split('#invitation=')[1];
  const cookie = cookieOf(await send(w.docent.base, 'POST', '/console/invitation/accept', OWN, { link }));
  const own = (path: string, sent: object) => send(w.docent.base, 'POST', path, { ...OWN, cookie }, sent);
  const refused = {
    status: 409,
    body: { code: 'conflict', error: expect.stringContaining('docent user add victim@') },
  };
  expect(await own('/api/v1/mail/test', {})).toMatchObject(refused);
  const membership = `/api/v1/chatbot/${chatbot}/membership/update`;
  expect(await own(membership, { weekly_mail: true })).toMatchObject(refused);
  expect(await own(membership, { weekly_mail: false })).toMatchObject({ status: 200, body: { weekly_mail: false } });
  expect(server.mails).toHaveLength(1);
});

it('has the link of an invitation, on which a name writes no line of its own', async () => {
  const chatbot = await newChatbot(
    w,
    `Shop\r\nBcc: all@shop.test\r\n\r\nBuy ${'x'.repeat(150)}`.replace(/[\r\n]+/g, '\u2028'),
  );
  const invite = (email: string) =>
    w.call('POST', `/api/v1/chatbot/${chatbot}/invitation/create`, { email, role: 'editor' });
  const { body } = await invite('Bob@shop.test');
  expect(body.mailed).toBe(true);
  const [mail] = server.mails;
  expect(mail!.to).toBe('bob@shop.test');
  expect(mail!.subject).toMatch(/^Invitation to the chatbot Shop Bcc: all@shop\.test Buy x+$/);
  expect(mail!.text).toContain(`\n${body.link}\n`);
  expect(mail!.text).toContain('as an editor');

  server.instead = { RCPT: '550 no such user' };
  const refused = await invite('carl@shop.test');
  expect([refused.status, refused.body.mailed, refused.body.link !== undefined]).toEqual([200, false, true]);
});
