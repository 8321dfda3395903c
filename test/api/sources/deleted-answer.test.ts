import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { site, start, until, type Running } from '../../running.ts';

/** A question with its answer that is deleted again leaves nothing behind: neither its words nor their spelling. */

const PAGES: Record<string, string> = {
  '/payment': `<title>Payment</title><h1>Payment</h1><p>We take Visa, Mastercard, PayPal and bank transfer.</p>
    <h2>VAT</h2><p>Prices include 20 % VAT. Orders to the EU are charged the VAT of the country.</p>`,
  '/repairs': `<title>Repairs</title><h1>Repair workshop</h1><p>We mend tents, jackets, rucksacks and boots.</p>
    <table><tr><th>Repair</th><th>Price</th></tr><tr><td>New zip in a jacket</td><td>£32</td></tr>
    <tr><td>Buckle replaced</td><td>£6</td></tr></table>`,
  '/terms': `<title>Terms</title><h1>Terms</h1><p>The contract is made when we send the order confirmation.</p>
    <p>Prices may change until you order.</p>`,
  '/tent': `<title>Tarn 2 tent</title><h1>Tarn 2 tent</h1><p>A tunnel tent for three seasons.</p>
    <p>The watches in the shop window are not for sale.</p>`,
};

const ANSWERS: Record<string, string> = {
  'do you price match': 'No, we do not match prices of other shops.',
  'are you hiring': 'Yes. We look for a boot fitter; see our jobs page.',
  'Verkaufen Sie Gutscheine?': 'Ja, wir verkaufen Gutscheine zu zehn Pfund und zu fünfzig Pfund.',
};

const QUESTIONS = [
  'do you price match',
  'do you match prices?',
  'match',
  'do you sell matches',
  'will you match the prices of a competitor?',
  'how much is a new zip',
  'are you hiring',
  'hiring boots',
  'boot fitter',
  'what does a buckle cost?',
  'which shops are there',
  'do you have jobs',
  'Was kostet ein Gutschein?',
  'can I pay by bank transfer?',
  'does a price include VAT',
  'what are your terms',
];

let pages: Awaited<ReturnType<typeof site>>;
let dataDir: string;
let docent: Running;
let chatbot: string;

const restart = async () => {
  await docent.stop();
  docent = await run();
};
const run = () => start({ DATA_DIR: dataDir, FETCH_ALLOW: pages.host });
const learned = async () => {
  const sources = () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body);
  await until(sources, (all: { status: string }[]) => all.every(({ status }) => status === 'success'));
};

async function ask(query: string): Promise<string> {
  const session = (await docent.api('POST', `/chatbot/${chatbot}/session/create`)).body.uuid;
  return (await docent.api('POST', `/session/${session}/message/non-stream`, { query })).body.response;
}

async function answers(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const question of QUESTIONS) all[question] = await ask(question);
  return all;
}

async function addAnswers(): Promise<string[]> {
  const uuids: string[] = [];
  for (const [question, answer] of Object.entries(ANSWERS)) {
    const added = await docent.api('POST', `/chatbot/${chatbot}/data-source/qa`, { question, answer });
    uuids.push(added.body.uuid);
  }
  await learned();
  return uuids;
}

beforeAll(async () => {
  pages = await site(PAGES);
  dataDir = await mkdtemp(join(tmpdir(), 'docent-'));
  docent = await run();
  chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  for (const path of Object.keys(PAGES))
    await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: pages.base + path });
  await learned();
});
afterAll(async () => {
  await docent.stop();
  await pages.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('answers as before once the written answers are deleted, and the same after a restart', async () => {
  const before = await answers();
  const uuids = await addAnswers();
  expect((await answers())['do you price match']).toContain(ANSWERS['do you price match']);
  for (const uuid of uuids) await docent.api('POST', `/data-source/${uuid}/delete`);
  expect(await answers()).toEqual(before);
  await restart();
  expect(await answers()).toEqual(before);
});

it('answers as if a written answer had never had the words that were changed', async () => {
  const [uuid] = await addAnswers();
  const change = { question: 'May dogs come in?', answer: 'Dogs may come in on a lead.' };
  await docent.api('POST', `/data-source/${uuid}/update`, change);
  await learned();
  const changed = await answers();
  await restart();
  expect(await answers()).toEqual(changed);
});
