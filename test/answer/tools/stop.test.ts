import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { realDisk, type Disk } from '../../../server/store/lowdb/files/disk.ts';
import { post } from '../../proxy/fixture.ts';
import { openShop, visit, type Shop } from './fixture.ts';

/** A visitor's Stop while a call that they have confirmed begins, or is under way. */

let writing = Promise.resolve();
let waiting = 0;
const slow = async <T>(write: () => Promise<T>): Promise<T> => {
  waiting += 1;
  await writing;
  return write();
};
const disk: Disk = {
  ...realDisk,
  write: (...args) => slow(() => realDisk.write(...args)),
  datasync: (...args) => slow(() => realDisk.datasync(...args)),
  rename: (...args) => slow(() => realDisk.rename(...args)),
};

let shop: Shop;
beforeAll(async () => void (shop = await openShop({}, true, disk)));
afterEach(() => shop.removeFunctions());
afterAll(() => shop.close());

async function askToCancel() {
  await shop.addFunction({ name: 'cancel', meta: { class: 'ask' } });
  shop.model.next({ toolCalls: [{ name: 'cancel', arguments: {} }] });
  const { session, uuid } = await visit(shop, 'Please cancel my order');
  const path = `${shop.docent.base}/chat/${shop.chatbot}/session/${session}/message/${uuid}`;
  const messageNow = async () => (await shop.docent.api('GET', `/message/${uuid}`)).body;
  return { confirm: () => post(`${path}/confirm`, { accept: true }), stop: () => post(`${path}/stop`), messageNow };
}

it('ends the call, and no model is asked', async () => {
  const { confirm, stop, messageNow } = await askToCancel();
  const closed = new Promise<void>((done) => {
    shop.tool.reply = (_, response) => {
      response.on('close', done);
      void stop();
    };
  });
  await (await confirm()).text();
  await closed;
  expect([(await messageNow()).finish_reason, shop.model.requests.length]).toEqual(['stopped', 1]);
});

it('reaches a confirmation that is not stored yet', async () => {
  const { confirm, stop, messageNow } = await askToCancel();
  let goOn = (): void => {};
  // Without an end: a Stop that arrives late ends it, one that was lost does not.
  shop.tool.reply = () => {};
  writing = new Promise((done) => (goOn = done));
  waiting = 0;
  const confirmed = confirm();
  await expect.poll(() => waiting).toBeGreaterThan(0);
  const stopped = stop();
  // Meanwhile its request arrives.
  await fetch(`${shop.docent.base}/healthz`);
  goOn();
  const [reply, { status }] = await Promise.all([confirmed, stopped]);
  await reply.text();
  expect([status, (await messageNow()).finish_reason]).toEqual([200, 'stopped']);
  expect(shop.model.requests).toHaveLength(1);
});
