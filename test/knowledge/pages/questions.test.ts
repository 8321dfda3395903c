import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../server/knowledge/readers/html/html.ts';
import { chunked } from '../../../server/knowledge/ingest/chunk.ts';

/** Each passage as `heading > heading | text`. */
async function passages(html: string): Promise<string[]> {
  const { text, passages } = await chunked(await readHtml(html));
  return passages.map(({ headings, start, end }) => [headings.join(' > '), text.slice(start, end)].join(' | '));
}

const data = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const faq = (pairs: Record<string, string>) =>
  data({
    '@context': 'https://schema.org',
    '@graph': [
      { '@type': 'WebPage', name: 'Help' },
      {
        '@type': ['WebPage', 'FAQPage'],
        mainEntity: Object.entries(pairs).map(([name, text]) => ({
          '@type': 'Question',
          name,
          acceptedAnswer: { '@type': 'Answer', text },
        })),
      },
    ],
  });
const SHIP = 'Do you ship abroad?';
const YES = 'Yes, we ship to all of Europe within a week.';

describe('questions with answers', () => {
  it.each([
    [
      'Yoast',
      `<div class="schema-faq"><div class="schema-faq-section" id="faq-1"><strong class="schema-faq-question">${SHIP}</strong> <p class="schema-faq-answer">${YES}</p></div>
      <div class="schema-faq-section"><strong class="schema-faq-question">Can I pick it up?</strong><p class="schema-faq-answer">On every day but Sunday.</p></div></div>`,
    ],
    [
      'RankMath',
      `<div id="rank-math-faq"><div class="rank-math-list-item"><h3 class="rank-math-question">${SHIP}</h3><div class="rank-math-answer"><p>${YES}</p></div></div>
      <div class="rank-math-list-item"><h3 class="rank-math-question">Can I pick it up?</h3><div class="rank-math-answer"><p>On every day but Sunday.</p></div></div></div>`,
    ],
    [
      'Shopify',
      `<details><summary><span class="icon"><svg></svg></span><h3 class="accordion__title">${SHIP}</h3></summary><div class="accordion__content rte"><p>${YES}</p></div></details>
      <details><summary><h3>Can I pick it up?</h3></summary><p>On every day but Sunday.</p></details>`,
    ],
    [
      'Bootstrap',
      `<div class="accordion"><h2 class="accordion-header"><button class="accordion-button" type="button" aria-expanded="false" aria-controls="c1">${SHIP}</button></h2>
      <div id="c1" class="accordion-collapse collapse" hidden><div class="accordion-body">${YES}</div></div>
      <h2 class="accordion-header"><button aria-expanded="false" aria-controls="c2">Can I pick it up?</button></h2><div id="c2" aria-hidden="true">On every day but Sunday.</div></div>`,
    ],
    [
      'microdata',
      `<div itemscope itemtype="https://schema.org/FAQPage"><div itemscope itemprop="mainEntity" itemtype="https://schema.org/Question"><span itemprop="name">${SHIP}</span>
      <div itemscope itemprop="acceptedAnswer" itemtype="https://schema.org/Answer"><span itemprop="author" itemscope itemtype="https://schema.org/Person"></span><div itemprop="text">${YES}</div></div></div>
      <div itemscope itemprop="mainEntity" itemtype="http://schema.org/Question"><meta itemprop="name" content="Can I pick it up?"><div itemprop="acceptedAnswer" itemscope itemtype="http://schema.org/Answer"><p itemprop="text">On every day but Sunday.</p></div></div></div>`,
    ],
    ['JSON-LD alone', faq({ [SHIP]: `<p>${YES}</p>`, 'Can I pick it up?': 'On every day but Sunday.' })],
    [
      'JSON-LD of what is on the page',
      `<div class="q">${SHIP}</div><p>${YES}</p><div class="q">Can I pick it up?</div><p>On every day but Sunday.</p>${faq({ [SHIP]: `&lt;p&gt;${YES}&lt;/p&gt;`, 'Can I pick it up?': 'On every day but Sunday.' })}`,
    ],
  ])('are read from the markup of %s', async (_, html) => {
    const found = await passages(`<title>Help</title><main>${html}</main>`);
    expect(found.filter((one) => one.includes('Europe'))).toEqual([`${SHIP} | ${YES}`]);
    expect(found.filter((one) => one.includes('Sunday'))).toEqual(['Can I pick it up? | On every day but Sunday.']);
  });

  it('end with their answers', async () => {
    const found =
      await passages(`<main><h1>Help</h1><details><summary><h2>${SHIP}</h2></summary><p>${YES}</p></details><p>Something else again.</p></main>
      ${faq({ 'Why?': 'Because the lamp is made of brass and glass.' })}`);
    expect(found).toEqual([
      `Help > ${SHIP} | ${YES}`,
      'Help | Something else again.',
      'Help > Why? | Because the lamp is made of brass and glass.',
    ]);
  });

  it('are read of a page of one question with its best answer', async () => {
    const page = data({
      '@type': 'QAPage',
      mainEntity: {
        '@type': 'Question',
        name: 'Why is it &amp; green?',
        text: 'x',
        suggestedAnswer: [{ text: 'Copper.' }],
        acceptedAnswer: { text: 'The <b>brass</b> has aged.<ol><li>Rub it.<li>Wait.</ol>' },
      },
    });
    expect(await passages(`<p>Posts of the forum.</p>${page}`)).toEqual([
      ' | Posts of the forum.',
      'Why is it & green? | The brass has aged.\n1. Rub it.\n2. Wait.',
    ]);
  });

  const post = (
    kind: string,
    votes: number,
    text: string,
  ): string => `<div itemprop="${kind}Answer" itemscope itemtype="https://schema.org/Answer">
    <b itemprop="upvoteCount">${votes}</b><div itemprop="text"><p>${text}</p></div><i itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name">Kim</span></i></div>`;
  const forum = (
    answers: string,
  ): string => `<main itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">Why is it
    green?</h1><div itemprop="text"><p>I have had it for a week.</p></div><span itemprop="answerCount">2</span>${answers}</main><p>More of the forum.</p>`;

  it.each([
    ['the accepted one', post('suggested', 8, 'Paint it over again.') + post('accepted', 2, 'The brass has aged.')],
    [
      'the one with most votes',
      post('suggested', 1, 'Paint it over again.') + post('suggested', 2, 'The brass has aged.'),
    ],
  ])('are read of a forum with one answer, %s, and the others apart', async (_, answers) => {
    const found = await passages(forum(answers));
    expect(found).toContain('Why is it green? | The brass has aged.');
    expect(found).toContain(' | Paint it over again.');
    expect(found.join()).not.toMatch(/Kim|week|\d/);
  });

  it('are read of a forum that declares its best answer and shows it below others', async () => {
    const suggestedAnswer = [
      { text: 'Paint it over again.', upvoteCount: 1 },
      { text: 'The brass has aged.', upvoteCount: '9' },
    ];
    const declared = data({
      '@type': 'QAPage',
      mainEntity: { '@type': 'Question', name: 'Why is it green?', suggestedAnswer },
    });
    const shown =
      '<p>I have had it for a week.</p><h2>Answers</h2><p>Paint it over again.</p><p>The brass has aged.</p>';
    for (const page of [shown, '<p>I have had it for a week.</p>']) {
      const found = await passages(`<h1>Why is it green?</h1>${page}${declared}`);
      expect(found[0]).toBe('Why is it green? | The brass has aged.');
      expect(found.filter((one) => one.includes('brass'))).toHaveLength(1);
    }
  });

  it('are left alone where the data is broken, deep or endless', async () => {
    const script = (text: string): string =>
      `<p>A page of lamps.</p><script type="application/ld+json">${text}</script>`;
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const long = JSON.stringify({ '@type': 'Question', name: 'x', acceptedAnswer: { text: 'y '.repeat(400_000) } });
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"@type":"Question"}',
      '{"@type":["Question"],"name":7,"acceptedAnswer":[null,{"text":[]}]}',
      '[['.repeat(100_000),
      deep,
      long,
    ]) {
      expect(await passages(script(text)), text.slice(0, 40)).toEqual([' | A page of lamps.']);
    }
    const lines = script(
      '<!--\n{"@type":"Question","name":"Is it\nlight?","acceptedAnswer":{"text":"It is not\nheavy at all."}}\n-->',
    );
    expect((await passages(lines))[1]).toBe('Is it light? | It is not heavy at all.');
  });
});

describe('definitions', () => {
  it('are sections of their own where they are long, or of an option', async () => {
    const sphinx = `<dl class="option"><dt id="cmdoption-prune"><code class="sig-name">--prune</code><code class="sig-prename"> &lt;days&gt;</code><a class="headerlink" href="#cmdoption-prune" title="Link">¶</a></dt>
      <dd><p>Removes what is older than so many days.</p><p>Default: 90.</p></dd></dl>
      <dl><dt><b>-k</b>, <b>--keep</b><dt><b>--hold</b><dd>Keeps every file that has a lock.</dl><p>See also the manual.</p>`;
    expect(await passages(sphinx)).toEqual([
      '--prune <days> | Removes what is older than so many days.\n\nDefault: 90.',
      '-k, --keep, --hold | Keeps every file that has a lock.',
      ' | See also the manual.',
    ]);
    const wiki = `<h2>Terms</h2><dl><dt>Pannier</dt><dd>${'A bag at the side of a rack. '.repeat(8)}</dd><dt>Rack</dt><dd>Holds bags.</dd><dd>Made of steel.</dd><dt>Alone</dt></dl>`;
    expect((await passages(wiki)).map((one) => one.slice(0, 60))).toEqual([
      'Terms > Pannier | A bag at the side of a rack. A bag at the ',
      'Terms | - Rack: Holds bags.\n- Rack: Made of steel.\n- Alone',
    ]);
  });

  it('never fails', async () => {
    for (const html of [
      '<dt>',
      '<dd>',
      '<dl><dd>x',
      '</dl>',
      '<dt>a<dd>b',
      '<dl><dt>a<dl><dt>b<dd>c</dl><dd>d',
      '<table><td><dt>a</table><dd>b',
      '<dl>'.repeat(900),
    ]) {
      await expect(readHtml(html), html).resolves.toBeDefined();
    }
  });
});
