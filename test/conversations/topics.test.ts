import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learnPages, type LearnedSite } from './learned-site.ts';

/** What a follow-up is about, where its own words name nothing: over HTTP, without a model. */

const page = (title: string, body: string) => `<title>${title}</title><main><h1>${title}</h1>${body}</main>`;
const pages = {
  '/piano': page(
    'Piano tuning',
    `<h2>Uprights</h2><p>We tune an upright at your home. Tuning takes ninety minutes.</p>
    <h2>Grand pianos</h2><p>A grand has to stand for a day before it is tuned.</p>`,
  ),
  '/storage': page(
    'Storage',
    `<p>Instruments are stored in dry rooms.</p><h2>What does it cost?</h2><p>A month costs £30 for each instrument.</p>`,
  ),
  '/hours': page('Opening times', `<p>We are open from nine to five on working days.</p>`),
  '/harps': page('Harps', `<p>Harps are restrung by Ines. The work takes three weeks.</p>`),
};

let docent: LearnedSite;
beforeAll(async () => {
  docent = await learnPages(pages);
});
afterAll(() => docent.stop());

/** The answer to the last of these messages, and its outcome. */
async function say(...messages: string[]): Promise<{ response: string; outcome: string }> {
  const session = (await docent.api('POST', `/chatbot/${docent.chatbot}/session/create`, {})).body.uuid;
  for (const query of messages) await docent.api('POST', `/session/${session}/message/non-stream`, { query });
  const message = (await docent.api('GET', `/session/${session}/messages`)).body.at(-1);
  return { response: message.response, outcome: JSON.parse(message.meta_json).outcome };
}

describe('a follow-up that names nothing', () => {
  it('is not answered from another page, where nothing answered what it is about', async () => {
    expect((await say('Can you repair a saxophone?')).outcome).toBe('unknown');
    expect((await say('Can you repair a saxophone?', 'What does it cost?')).outcome).toBe('unknown');
    expect((await say('Can you repair a saxophone?', 'And when is it open?', 'What does it cost?')).outcome).toBe(
      'unknown',
    );
  });

  it('is about the last thing that was named, not about what was quoted before', async () => {
    const { outcome } = await say('Who restrings harps?', 'Can you repair a saxophone?', 'how long will it take?');
    expect(outcome).not.toBe('answered');
  });

  it.each([
    [['Who restrings harps?', 'how long will the work take?'], 'three weeks'],
    [['Do you tune an upright?', 'does it have to be at my home?', 'how long does it take?'], 'ninety minutes'],
    [['Where are instruments stored?', 'What does it cost?'], '£30'],
  ])('is answered about what was named: %j', async (messages, fact) => {
    expect(await say(...messages)).toMatchObject({ outcome: 'answered', response: expect.stringContaining(fact) });
  });

  it('is answered by itself, where a heading has its words', async () => {
    const { response } = await say('Who restrings harps?', 'What are your opening times?');
    expect(response).toContain('nine to five');
  });

  it('is told as not sure, where it has no word to be answered by', async () => {
    expect((await say('Who restrings harps?', 'And what about her?')).outcome).not.toBe('answered');
  });
});
