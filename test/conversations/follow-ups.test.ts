import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConversationFiles } from '../../server/conversations/files.ts';
import { API_KEY, start, type Running } from '../running.ts';

/** Conversations about small sites, written before anybody had seen what is said, without a model. */

const FOLDER = 'test/conversations/follow-ups';

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.stop());

/** A chatbot that has read the pages of a site. */
async function chatbotOf(site: string): Promise<string> {
  const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Desk', show_citations: true })).body;
  const folder = join(FOLDER, 'pages', site);
  for (const name of readdirSync(folder)) {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(join(folder, name))], { type: 'text/html' }), name);
    const headers = { authorization: `Bearer ${API_KEY}` };
    await fetch(`${running.base}/api/v1/chatbot/${uuid}/data-source/upload`, { method: 'POST', body: form, headers });
  }
  const isRead = async (): Promise<boolean> => {
    const { body } = await running.api('GET', `/chatbot/${uuid}/data-sources`);
    return body.every(({ status }: { status: string }) => status === 'success');
  };
  await expect.poll(isRead, { timeout: 60_000 }).toBe(true);
  return uuid;
}

describe.each([
  ['hall', 37, 24, 0],
  ['library', 31, 18, 2],
])('follow-ups about the %s', (site, least, leastSure, mostWrong) => {
  it('are told the fact, from the page that the answer before quoted', async () => {
    const chatbot = await chatbotOf(site);
    const files = await readConversationFiles(join(FOLDER, `${site}.yaml`));
    const failed: string[] = [];
    let told = 0;
    const sure = { right: 0, wrong: 0 };
    for (const { name, turns } of files.flatMap(({ conversations }) => conversations)) {
      const session = (await running.api('POST', `/chatbot/${chatbot}/session/create`, {})).body.uuid;
      for (const [at, { ask, answer }] of turns.entries()) {
        const { body } = await running.api('POST', `/session/${session}/message/non-stream`, { query: ask });
        const holds = answer?.contains?.every((fact) => body.response.toLowerCase().includes(fact.toLowerCase()));
        const [message] = (await running.api('GET', `/session/${session}/messages`)).body.slice(-1);
        const isSure = JSON.parse(message.meta_json).outcome === 'answered';
        if (at > 0 && isSure) sure[holds ? 'right' : 'wrong'] += 1;
        if (at > 0 && holds) told += 1;
        if (at > 0 && !holds) failed.push(`${name}: ${ask}`);
      }
    }
    expect(told, failed.join('\n')).toBeGreaterThanOrEqual(least);
    expect(sure.right).toBeGreaterThanOrEqual(leastSure);
    expect(sure.wrong).toBeLessThanOrEqual(mostWrong);
  }, 60_000);
});
