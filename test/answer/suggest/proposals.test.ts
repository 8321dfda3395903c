import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createProposalFilter } from '../../../server/answer/suggest/proposals.ts';
import { startFakeModel, type FakeModel } from '../../fakes/model.ts';
import { site, start, type Running } from '../../running.ts';
import { learnPage } from './learned-page.ts';

const PAGE = `<!doctype html><title>The bindery</title><main><h1>The bindery</h1>
<h2>Repair of covers</h2><p>Covers are repaired within four weeks, with thread of the same colour.</p>
<h2>Opening hours</h2><p>The bindery is open from nine to five on working days.</p>
<h2>Gilding of edges</h2><p>Edges are gilded with leaf gold; gilding takes ten days.</p></main>`;
const ANSWER = 'Covers are repaired within four weeks [1].';
const QUESTION = 'How long does the repair of covers take?';

let model: FakeModel;
let docent: Running;
let pages: Awaited<ReturnType<typeof site>>;
let chatbot: string;

beforeAll(async () => {
  model = await startFakeModel({ json: { pieces: ['{}'] } });
  pages = await site({ '/': PAGE });
  docent = await start({ FETCH_ALLOW: pages.host, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake' });
  chatbot = await learnPage(docent, `${pages.base}/`);
});
afterEach(() => model.clear());
afterAll(async () => {
  await docent.stop();
  await pages.close();
  await model.close();
});

interface Told {
  response: string;
  follow_ups?: string[];
}

/** Asks, where the model writes `written`; returns the text that was streamed and what the end says. */
async function ask(written: string): Promise<{ streamed: string; done: Told }> {
  model.next({ pieces: written.match(/[^]{1,5}/g)! });
  const reply = await fetch(`${docent.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUESTION }),
  });
  const text = await reply.text();
  const deltas = Array.from(text.matchAll(/^event: delta\ndata: (.*)$/gm), ([, data]) => JSON.parse(data!) as Told);
  const streamed = deltas.map((one) => (one as unknown as { text: string }).text).join('');
  return { streamed, done: JSON.parse(/^event: done\ndata: (.*)$/m.exec(text)![1]!) as Told };
}

const rules = (): string => model.requests.at(-1)!.body.messages[0]!.content;

describe('questions that a model proposes after its answer', () => {
  it('come with the end of the answer, and are no part of it', async () => {
    const { streamed, done } = await ask(
      `${ANSWER}\n\n<follow-ups>\nHow long does gilding take?\n- When is the bindery open?`,
    );
    expect(rules()).toContain('<follow-ups>');
    expect(streamed).toBe(ANSWER);
    expect(done.response).toBe(ANSWER);
    expect(done.follow_ups).toEqual(['How long does gilding take?', 'When is the bindery open?']);
  });

  it('are left out where the sources do not answer them surely, where they are no plain question, and where they were asked', async () => {
    const { done } = await ask(
      `${ANSWER}\n<follow-ups>\nWho was the emperor of Rome?\nHow long does <b>gilding</b> take?\n${QUESTION}`,
    );
    expect(done.response).toBe(ANSWER);
    expect(done.follow_ups).toEqual(['Opening hours', 'Gilding of edges']);
  });

  it('are not asked for where the owner wants none', async () => {
    await docent.api('POST', `/chatbot/${chatbot}/widget`, { suggestions: [] });
    const { done } = await ask(ANSWER);
    expect(rules()).not.toContain('follow-ups');
    expect(done).not.toHaveProperty('follow_ups');
    await docent.api('POST', `/chatbot/${chatbot}/widget`, { suggestions: 'auto' });
  });
});

describe('the filter of proposals', () => {
  /** The text that passes, in pieces of `size`, and what was proposed. */
  function filtered(written: string, size: number): [text: string, proposed: string[]] {
    const filter = createProposalFilter();
    let text = '';
    for (let at = 0; at < written.length; at += size) text += filter.pass(written.slice(at, at + size));
    text += filter.rest();
    return [text, filter.proposed()];
  }

  it.each([
    ['An answer.\n\n<follow-ups>\n1. One?\n* Two?\n\n</follow-ups>\n', 'An answer.', ['One?', 'Two?']],
    ['An answer.\n  <follow-ups>One?', 'An answer.', ['One?']],
    ['Write <follow-ups> in a line.\n\n', 'Write <follow-ups> in a line.\n\n', []],
    ['<follow-ups>\nAn answer.\n', 'An answer.\n', []],
    ['A <b>\n<\n<follow\n<follow-up>', 'A <b>\n<\n<follow\n<follow-up>', []],
    [`A${'\n'.repeat(300)}b`, `A${'\n'.repeat(300)}b`, []],
    ['', '', []],
  ])('of %j lets %j pass', (written, text, proposed) => {
    for (let size = 1; size <= written.length + 1; size += 1) {
      const [passed, found] = filtered(written, size);
      expect(passed.trimStart()).toBe(text);
      expect(found).toEqual(proposed);
    }
  });

  it('holds nothing back of a line that cannot become one', () => {
    const filter = createProposalFilter();
    expect(filter.pass('An answer <fol')).toBe('An answer <fol');
    expect(filter.pass('low-ups> goes on')).toBe('low-ups> goes on');
  });
});
