import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const FAQ = `<title>Help</title><main><h1>Questions</h1><details><summary>Do you ship abroad?</summary><p>Yes, to all of Europe.
  It takes a week. Customs are included.</p></details><details><summary>Who are you?</summary><p>Two sisters from Aldermere who like lamps a lot.</p></details>
  <details><summary>When do you ship?</summary><p>On each working day at noon.</p></details></main>`;
const OTHERS = {
  'a.html': '<title>Ships</title><p>We ship lamps. Ships ship lamps abroad, and we like to ship them.</p>',
};
const OPTIONS = `<title>tool</title><h1>tool</h1><dl class="option"><dt><code>--keep</code></dt><dd><p>Keeps every file that --prune would remove, such as one with a lock.</p></dd>
  <dt><code>--prune</code> <a class="headerlink" href="#p">¶</a></dt><dd><p>Removes files that are older than 90 days. Asks first.</p></dd></dl>
  <p>Read about pruning before you prune. If you prune too much, nobody can help you.</p>`;

describe('a question that a page answers', () => {
  it.each([
    ['Do you ship abroad?', 'Do you ship abroad? Yes, to all of Europe. It takes a week. Customs are included. [1]'],
    [
      'hello, do you SHIP abroad',
      'Do you ship abroad? Yes, to all of Europe. It takes a week. Customs are included. [1]',
    ],
    [
      'Do you shipp it abroad?',
      'Do you ship abroad? Yes, to all of Europe. It takes a week. Customs are included. [1]',
    ],
    ['Who are you?', 'Who are you? Two sisters from Aldermere who like lamps a lot. [1]'],
  ])('%s: gets that answer whole, and nothing else', async (question, answer) => {
    const site = await siteOf({ 'faq.html': FAQ, ...OTHERS });
    expect((await site.answer(question)).text).toBe(answer);
  });

  it('gets an answer of one word', async () => {
    const page =
      '<title>Visit</title><h1>Visit</h1><h2>May I bring my dog?</h2><p>Yes.</p><h2>Is there a café?</h2><p>No.</p>';
    const site = await siteOf({ 'visit.html': page, ...OTHERS });
    expect((await site.answer('May I bring my dog?')).text).toBe('May I bring my dog? Yes. [1]');
  });

  it('is another one where it asks for something else in the same words', async () => {
    const site = await siteOf({ 'faq.html': FAQ, ...OTHERS });
    expect((await site.answer('When do you ship abroad?')).text).not.toBe(
      (await site.answer('Do you ship abroad?')).text,
    );
  });

  it('is no answer where several pages ask it', async () => {
    const page = (name: string): string =>
      `<title>${name}</title><h1>${name}</h1><h2>What does it cost?</h2><p>The ${name} costs ${name.length} pounds.</p>`;
    const site = await siteOf({ 'a.html': page('lantern'), 'b.html': page('torch') });
    const { found } = site.search('What does it cost?');
    expect(found[0]?.match.asked).toBe(false);
  });

  it('yields to the owner’s answer', async () => {
    const site = await siteOf({ 'faq.html': FAQ }, { 'do you ship abroad': 'Not this year.' });
    expect((await site.answer('Do you ship abroad?')).text).toBe('Not this year. [1]');
    expect((await site.answer('Do you ship them abroad?')).text).toBe('Not this year. [1]');
  });
});

it('answers what an option does by its definition', async () => {
  const site = await siteOf({ 'tool.html': OPTIONS, ...OTHERS });
  expect((await site.answer('What does --prune do?')).text).toBe(
    '--prune: Removes files that are older than 90 days. Asks first. [1]',
  );
  expect((await site.answer('What is the --keep option for?')).text).toContain('--keep: Keeps every file');
});
