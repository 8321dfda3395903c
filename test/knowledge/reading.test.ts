import { describe, expect, it } from 'vitest';
import { readHtml } from '../../server/knowledge/readers/html/html.ts';
import { decode } from '../../server/knowledge/readers/charset.ts';
import { readMarkdown } from '../../server/knowledge/readers/markdown.ts';
import { chunked } from '../../server/knowledge/ingest/chunk.ts';
import { readPlain } from '../../server/knowledge/readers/plain.ts';
import { leadsOf, sentencesOf } from '../../server/knowledge/text/sentences.ts';

/** Each passage as `heading > heading | text`. */
async function passages(html: string): Promise<string[]> {
  const { text, passages } = await chunked(await readHtml(html));
  return passages.map(({ headings, start, end }) => [headings.join(' > '), text.slice(start, end)].join(' | '));
}

describe('a page of HTML', () => {
  it('gives its main content under its headings, without what stands on every page', async () => {
    const html = `<!doctype html><html><head><title> Returns &amp; refunds
      – Shop </title><style>p{}</style><script>var a = "<p>no</p>"</script></head><body>
      <header><a href="/">Shop of shops</a></header><nav><ul><li>Home</ul></nav><div role="navigation">Menu menu</div>
      <div class="cookie-banner"><p>We use cookies for many things.</p></div><div hidden>Not yet shown to you.</div>
      <main><h1>Returns</h1><p>Send it <b>back</b> within&nbsp;thirty&#32;days.</p>
      <h2>Refunds</h2><p>The money comes in five days.</p><aside>Look at our offers of today.</aside>
      <h3>To a card</h3><p>Your bank may take longer than we do.</p><h2>Exchanges</h2><p>We swap sizes for free, once.</p>
      <noscript>Please switch scripts on.</noscript><form><label>Your name please</label></form></main>
      <footer>Copyright of the shop</footer></body></html>`;
    expect((await readHtml(html)).title).toBe('Returns & refunds – Shop');
    expect(await passages(html)).toEqual([
      'Returns | Send it back within thirty days.',
      'Returns > Refunds | The money comes in five days.',
      'Returns > Refunds > To a card | Your bank may take longer than we do.',
      'Returns > Exchanges | We swap sizes for free, once.',
    ]);
  });

  it('needs no main: articles, or else the body, will do, in one big form if it must', async () => {
    const article =
      '<div>Teaser of another page</div><article><p>The long story of the old mill by the river.</p></article>';
    expect(await passages(article)).toEqual([' | The long story of the old mill by the river.']);
    expect(await passages('The sky over the harbour is green.')).toEqual([' | The sky over the harbour is green.']);
    const form = '<body><form><p>The whole of this page is a form.</p></form>';
    expect(await passages(form)).toEqual([' | The whole of this page is a form.']);
    expect(await passages('<nav>Menu<main><p>The menu was never closed.</p></main>')).toEqual([
      ' | The menu was never closed.',
    ]);
    expect(await passages('<h1>We are open on Sundays.</h1>')).toEqual([' | We are open on Sundays.']);
  });

  it('leaves out what hand-made pages and site builders put around their content', async () => {
    const menu = (items: string): string => `<div class="nice"><ul>${items}</ul></div>`;
    const page = `<title>Mill – Site</title>${menu('<li><a href="/">Home</a><li><a href="/a">About us</a><li><a href="/s">Shop</a>')}
      <div class="cookieConsentBanner"><p>We value your privacy and use cookies.</p></div>
      <div id="onetrust-banner-sdk"><p>Your choices about partners.</p></div>
      <div class="wrapper has-sidebar"><div class="breadcrumb-list"><a href="/">Home</a> › Mill</div>
      <h1>The mill</h1><p>The mill by the river is open on Sundays.</p>
      <div class="share-buttons"><span>Share this on everything</span></div>
      <p>It grinds <a href="/rye">rye</a> and <a href="/wheat">wheat</a>.</p>
      <h2>Flours</h2><ul><li><a href="/rye">Rye flour</a><li><a href="/wheat">Wheat flour</a></ul>
      <div class="related_posts"><h3>Related</h3><p>Another mill entirely.</p></div>
      <div class="sidebar"><p>Opening a mill of your own.</p></div></div>
      <p>We are closed on Mondays.</p>${menu('<li><a href="/x">The weir</a><li><a href="/y">The lock</a><li><a href="/z">The ferry</a>')}
      <p>This page was last modified on 3 May.</p>`;
    expect(await passages(page.replace('<p>This page was last modified on 3 May.</p>', ''))).toEqual([
      'The mill | The mill by the river is open on Sundays.\n\nIt grinds rye and wheat.',
      'The mill > Flours | - Rye flour\n- Wheat flour\n\nWe are closed on Mondays.',
    ]);
    expect((await passages(page)).join()).not.toContain('last modified');
  });

  it('keeps what only looks like furniture', async () => {
    const policy = '<div class="cookie-policy"><p>Our policy: we set one cookie, and it goes stale in a day.</p></div>';
    expect(await passages(policy)).toEqual([' | Our policy: we set one cookie, and it goes stale in a day.']);
    expect(await passages('<div id="sidebar"><p>The whole of this page stands in a sidebar.</p></div>')).toEqual([
      ' | The whole of this page stands in a sidebar.',
    ]);
    expect(await passages('<main><p class="menu">Soup of the day, £4 a bowl.</p></main>')).toEqual([
      ' | Soup of the day, £4 a bowl.',
    ]);
    const links = '<ul><li><a href="/a">All about the mill</a><li><a href="/b">All about the weir</a></ul>';
    expect(await passages(links)).toEqual([' | - All about the mill\n- All about the weir']);
  });

  it('leaves out a table of contents, labels of what cannot be read, and what was struck out', async () => {
    const toc =
      '<a href="#a">1. First things</a><br><br><a href="#b">2. Second things</a><br><br><a href="#c">3. Last</a>';
    const page = `<title>T</title><p>Table of contents</p><div>${toc}</div><h2>First things</h2><p>Diagram of it:</p><svg></svg><h2>Second</h2>
      <p>It costs <del>£20</del> £15, for now at least.</p>`;
    expect(await passages(page)).toEqual(['Second | It costs £15, for now at least.']);
  });

  it('keeps links apart that stand side by side, as tiles and buttons do, and not those within a sentence', async () => {
    const html = `<main><h1>Help</h1><p>All that you may need.</p><div><a href="/a">When is my bin emptied?</a
      ><a href="/b"><b>Bulky</b> waste</a><a href="/c">Moving house</a></div>
      <p>See <a href="/d">Note</a><a href="/e">books</a> and <a href="/f">pens</a>.</p></main>`;
    const [text] = await passages(html);
    expect(text).toContain('When is my bin emptied?\nBulky waste\nMoving house');
    expect(text).toContain('See Notebooks and pens.');
  });

  it('writes powers as powers, and no numbers of footnotes', async () => {
    const page = `<p>At most 2<sup>31</sup>-1 rows on 5 m<sup>2</sup>, the 2<sup>nd</sup> time<sup><a href="#f1">1</a></sup>, as they say<a
      href="#f2"><sup>[2]</sup></a>.</p>`;
    expect(await passages(page)).toEqual([' | At most 2³¹-1 rows on 5 m², the 2nd time, as they say.']);
  });

  it('keeps lists with the paragraph that leads to them, terms with their definitions', async () => {
    expect(
      await passages('<p>You cannot send back:</p><ul><li>gift cards<li><p>open tins</p><ul><li>of wax</ul></ul>'),
    ).toEqual([' | You cannot send back:\n- gift cards\n- open tins\n  - of wax']);
    expect(
      await passages('<dl><dt>Pannier</dt><dd>A bag at the side of a rack.</dd><dt>Alone<dt>Why?<dd>So.</dl>'),
    ).toEqual([' | - Pannier: A bag at the side of a rack.\n- Alone, Why? So.']);
  });

  it('keeps the numbers of ordered lists, also of nested ones, as the page counts', async () => {
    expect(await passages('<p>To reset it:</p><ol><li>Hold the button.<li>Wait.</ol>')).toEqual([
      ' | To reset it:\n1. Hold the button.\n2. Wait.',
    ]);
    const nested = `<ol start=3><li>Open the box.<ol type=a><li>Cut the tape.<li>Lift the lid.</ol><li value=7><p>Plug it in.</p>
      <p>A lamp goes on.</p><ul><li>green: ready</ul><li>Run<pre>go</pre><li>Done.</ol>`;
    expect(await passages(nested)).toEqual([
      ' | 3. Open the box.\n   1. Cut the tape.\n   2. Lift the lid.\n7. Plug it in.\n   A lamp goes on.\n   - green: ready\n8. Run\n\n```\ngo\n```\n9. Done.',
    ]);
    expect(await passages('<ol reversed start=2><li>Second place<li>First place</ol><ol><li>Gold')).toEqual([
      ' | 2. Second place\n1. First place\n1. Gold',
    ]);
    const titled = '<ol><li><p><b>Order</b></p><p>Choose a lamp.</p><li><p><b>Pay</b></p><p>By card.</p></ol>';
    expect(await passages(titled)).toEqual([' | 1. Order\n   Choose a lamp.\n2. Pay\n   By card.']);
    expect(await passages('<ol start="-1"><li value="99999999999">One of<li>many<li value="x">things')).toEqual([
      ' | 1. One of\n2. many\n3. things',
    ]);
  });

  it('keeps a short list in one passage, with what leads to it', async () => {
    const steps = Array.from({ length: 10 }, (_, at) => `<li>${`Step ${at} is a thing to do. `.repeat(6)}`).join('');
    const story = `${'The lamp has a story of its own, which is long. '.repeat(12)}`;
    const lead = '<p>To mend the lamp, do this:</p>';
    const texts = await passages(`<p>${story}</p>${lead}<ol>${steps}</ol><p>${story}</p>`);
    expect(texts.map((text) => text.slice(0, 40))).toEqual([
      ' | The lamp has a story of its own, whic',
      ' | To mend the lamp, do this:\n1. Step 0 ',
      ' | The lamp has a story of its own, whic',
    ]);
    expect(texts[1]).toContain('\n10. Step 9');
    // The last sentence of a long paragraph leads to its list.
    const [, second] = await passages(`<p>${story}${story}Do this:</p><ol>${steps}</ol>`);
    expect(second).toMatch(/^ \| Do this:\n1\. Step 0[^]*\n10\. Step 9/);
    const long = await passages(`${lead}<ol>${steps.repeat(3)}</ol>`);
    expect(long.length).toBeGreaterThan(2);
  });

  it('puts table rows in words, each value with its column', async () => {
    const table = `<table><caption>Postage and times</caption><tr><th>Zone<th>Price<tr><td>Europe<td>€9<tr><td>World<td>
      <p>€20</p></table>`;
    expect(await passages(table)).toEqual([
      ' | Postage and times\n- Zone: Europe; Price: €9\n- Zone: World; Price: €20',
    ]);
    expect(await passages('<table><tr><th>Weight<td>2 kilogrammes<tr><th>Colour:<td>red</table>')).toEqual([
      ' | - Weight: 2 kilogrammes\n- Colour: red',
    ]);
    const labelled =
      '<table><tr><th>Service<th>Price<th>Arrives:<tr><th>Express<td>£9<td>next day<tr><th>Standard:<td>£4<td></table>';
    expect(await passages(labelled)).toEqual([' | - Express — Price: £9; Arrives: next day\n- Standard — Price: £4']);
    const layout =
      '<table><tr><td><h2>News</h2><p>We have moved to the square.</p><td><table><tr><td>x<td>y</table></table>';
    expect(await passages(layout)).toEqual(['News | We have moved to the square.\n- x: y']);
  });

  it('keeps the rows of a table with headers, however many lines a cell has', async () => {
    const lines = ['brew install box', 'or', 'brew install --cask fuse', 'brew install box-fuse'];
    const cell = lines.map((line) => `<div>${line}</div>`).join('');
    const table = (name: string): string =>
      `<table><tr><${name}>System</${name}><${name}>Command</${name}></tr><tr><td>Arch</td><td>pacman -S box</td></tr>
      <tr><td>macOS</td><td><div>${cell}</div></td></tr></table>`;
    expect(await passages(table('th'))).toEqual([
      ` | - System: Arch; Command: pacman -S box\n- System: macOS; Command: ${lines.join(' ')}`,
    ]);
    expect((await passages(table('td'))).join()).not.toContain('System: macOS');
    const rows = '<table><tr><th>Arch<td>pacman -S box<tr><th>macOS<td>' + cell + '</table>';
    expect((await passages(rows)).join()).toContain(`macOS: ${lines.join(' ')}`);
  });

  it('keeps code with its lines, and a line break as one', async () => {
    expect(await passages('<p>Run this in a shell:</p><pre>\nnpm ci\n  npm start\n</pre>')).toEqual([
      ' | Run this in a shell:\n\n```\nnpm ci\n  npm start\n```',
    ]);
    expect(await passages('<p>Mill Lane 5<br>\n Aldermere</p><p>first of two<br><br>second of two')).toEqual([
      ' | Mill Lane 5\nAldermere\n\nfirst of two\n\nsecond of two',
    ]);
  });

  it('takes a bold paragraph for the heading of what is below it, and not for one where it tells something itself', async () => {
    const faq =
      '<h1>Questions</h1><p><b>(3) Do you ship abroad?</b></p><p>Yes, to all of Europe.</p><p><b>Gift wrapping</b></p><p>It is free in December.</p>';
    expect(await passages(faq)).toEqual([
      'Questions > (3) Do you ship abroad? | Yes, to all of Europe.',
      'Questions > Gift wrapping | It is free in December.',
    ]);
    const list = '<ul><li><p><strong>Largest order</strong></p><p>Nobody may order more than ten.</p></li></ul>';
    expect(await passages(list)).toEqual(['Largest order | Nobody may order more than ten.']);
    const telling =
      '<p><b>We are closed on Mondays.</b></p><p><b>Phone 555 0123</b></p><p>Ask for <b>Ada</b>.</p><p><b>See you there</b></p>';
    const [all = ''] = await passages(telling);
    expect(all).toBe(' | We are closed on Mondays.\n\nPhone 555 0123\n\nAsk for Ada.\n\nSee you there');
  });

  it('takes a disclosure’s summary for the heading of what it holds, and of no more', async () => {
    expect(
      await passages(
        '<details><summary>Do you ship abroad?</summary>Yes, to all of Europe.</details><p>Something else again.',
      ),
    ).toEqual(['Do you ship abroad? | Yes, to all of Europe.', ' | Something else again.']);
  });

  it('cuts long paragraphs where sentences end, and every passage is a slice of the text', async () => {
    const sentence = 'A sentence of some length about the ways of the river and its many boats. ';
    const document = await chunked(
      await readHtml(`<h1>River</h1><p>${sentence.repeat(100)}</p><p>${'x'.repeat(5000)}</p>`),
    );
    const texts = document.passages.map(({ start, end }) => document.text.slice(start, end));
    expect(texts.every((text) => text.length <= 1800)).toBe(true);
    expect(texts.filter((text) => text.startsWith('A sentence')).every((text) => text.endsWith('boats.'))).toBe(true);
    expect(texts.join('').replace(/\s/g, '')).toBe(sentence.repeat(100).replace(/\s/g, '') + 'x'.repeat(5000));
  });

  it('never fails, and stops at no page for long', async () => {
    const odd = [
      '',
      '<',
      '</',
      '<!--',
      '<p',
      '</p></p>',
      '<table><td>',
      '<li>',
      '<dd>',
      '<title>',
      '\u0000<p>\ud800',
      '&#0;&#xffffff;',
    ];
    for (const html of odd) await expect(readHtml(html), html).resolves.toBeDefined();
    // What is more than linear ends by the test's own limit.
    for (const tag of ['<div>', '<b>', '<table><tr><td>', '<ul><li>', '<p>a', '.', '</i>']) {
      await chunked(await readHtml(tag.repeat(500_000 / tag.length) + 'x'));
    }
  });

  it('keeps the words of a heading that is none, and does not say them again with every passage', async () => {
    const page = `<h1>${'Much ado about nothing. '.repeat(1000)}</h1>${`<p>${'The sea is green. '.repeat(30)}</p>`.repeat(500)}`;
    const document = await chunked(await readHtml(page));
    expect(document.text.match(/nothing/g)).toHaveLength(1000);
    expect(JSON.stringify(document).length).toBeLessThan(1.5 * page.length);
  });

  it('lets other work have its turn in one paragraph without end', async () => {
    const text = 'The sea is green. '.repeat(300_000);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const document = await chunked({ title: '', blocks: [{ kind: 'text', text }] });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
    expect(document.text.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  it('lets other work have its turn', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await readHtml('<h2>Returns</h2><p>You can return anything within thirty days.</p>'.repeat(20_000));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });
});

describe('a plain text', () => {
  it('has paragraphs between empty lines, wrapped lines, and lists', async () => {
    const { title, blocks } = await readPlain(
      'House rules\r\n\r\nBe kind\nto others.\n\nBring:\n- a towel\n- two\n  socks\n1. ticket',
    );
    expect(title).toBe('House rules');
    expect(blocks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'text: House rules',
      'text: Be kind to others.',
      'text: Bring:',
      'item: a towel',
      'item: two socks',
      'item: ticket',
    ]);
  });
});

describe('a plain text that is long', () => {
  const READS = 'The ferry to the island leaves at nine and comes back at five, on every day but Sunday.';

  it('is read whole, and lets other work have its turn', async () => {
    const paragraphs = Array.from({ length: 20_000 }, (_, n) => `Paragraph ${n}. ${READS}`);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { blocks } = await readPlain(paragraphs.join('\n\n'));
    clearInterval(timer);
    expect(blocks.map(({ text }) => text)).toEqual(paragraphs);
    expect(turns).toBeGreaterThan(3);
  });

  it.each([
    ['one line', ' '],
    ['lines', '\n'],
    ['no space at all', ''],
  ])('of %s loses nothing', async (_, between) => {
    const text = Array(4000).fill('Fähre😀nach.Norden').join(between);
    const { blocks } = await readPlain(text);
    const words = blocks.map((block) => block.text).join('');
    expect(words.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    expect(blocks.every((block) => block.text.isWellFormed())).toBe(true);
  });

  it('has a title only where its first line is one', async () => {
    const title = async (text: string) => (await readPlain(text)).title;
    expect(await title('House rules\n\nBe kind.')).toBe('House rules');
    expect(await title('The sky over Zembla is green')).toBe('');
    expect(await title('Be kind to others.\n\nBring a towel.')).toBe('');
    expect(await title('- a towel\n- two socks')).toBe('');
  });
});

describe('bytes', () => {
  it('are decoded alike in one piece and in several', async () => {
    const text = `a${'😀'.repeat(600_000)}`;
    expect(await decode(Buffer.from(text), undefined)).toBe(text);
    const latin = `${'é'.repeat(2_000_000)} `;
    expect(await decode(Buffer.from(latin, 'latin1'), undefined)).toBe(latin);
    const late = Buffer.concat([Buffer.from('x'.repeat(1_500_000)), Buffer.from([0xe9])]);
    expect((await decode(late, undefined)).endsWith('xé')).toBe(true);
    expect(await decode(new Uint8Array(), undefined)).toBe('');
  });
});

describe('Markdown', () => {
  const blocksOf = async (text: string) =>
    (await readMarkdown(text)).blocks.map(({ kind, level, text: words }) => `${kind}${level ?? ''}: ${words}`);

  it('is headings, paragraphs, items, rows and code, without their marks', async () => {
    const text = `# Returns *policy* #

You may **send back** any [lamp](https://lamps.example/lamps "all of them")
within _60 days_ of \`delivery\`, see <https://lamps.example/back>.
<!-- not this -->

Refunds
-------
- To a card: ~~9~~ 4 days
- [x] To an account:
  up to 10 days
1. Write to us

> ## For shops
> Ask for a list\\*.

| Zone   | Price |
|--------|:-----:|
| Europe | £15   |
| World  | £29   |

~~~sh
npm   run *start*

~~~
---
![A lamp](lamp.png) by snake_case_name and 2 * 3 * 4

[here]: https://lamps.example/
`;
    expect(await blocksOf(text)).toEqual([
      'heading1: Returns policy',
      'text: You may send back any lamp within 60 days of delivery, see https://lamps.example/back.',
      'heading2: Refunds',
      'item: To a card: 9 4 days',
      'item: To an account: up to 10 days',
      'item: Write to us',
      'heading2: For shops',
      'text: Ask for a list*.',
      'item: Zone: Europe; Price: £15',
      'item: Zone: World; Price: £29',
      'code: npm   run *start*',
      'text: A lamp by snake_case_name and 2 * 3 * 4',
    ]);
  });

  it('keeps the numbers of ordered lists', async () => {
    const text =
      'To mend it:\n\n1. Open it\n   - gently\n   1) now\n\n   It clicks.\n   ```\n   go\n   ```\n2. Close it\n\nDone.\n- a\n  - b';
    const document = await chunked(await readMarkdown(text));
    expect(document.text).toBe(
      'To mend it:\n1. Open it\n   - gently\n   1. now\n      It clicks.\n\n```\n   go\n```\n2. Close it\n\nDone.\n- a\n  - b',
    );
  });

  it('is called as its first heading, or as the settings above the text say', async () => {
    expect((await readMarkdown('Some words.\n\n## Returns\n\nMore.')).title).toBe('Returns');
    expect((await readMarkdown('---\nlayout: page\ntitle: "Sending back"\n---\n# Returns')).title).toBe('Sending back');
    expect(await blocksOf('---\ntitle: A\n---\nWords.')).toEqual(['text: Words.']);
    expect((await readMarkdown('Words.')).title).toBe('');
  });

  it('says a long name of a column shortly', async () => {
    const name = 'n'.repeat(20_000);
    const { text } = await chunked(await readMarkdown(`| ${name} | Price |\n|-|-|\n${'| a | 9 |\n'.repeat(500)}`));
    expect(text.match(/n: a; Price: 9/g)).toHaveLength(500);
    expect(text.length).toBeLessThan(100_000);
  });

  it('lets other work have its turn, however few its lines', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await readMarkdown(`${'*a '.repeat(3000)}\n\n`.repeat(100));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  it('never fails, and stops at no text for long', async () => {
    const odd = ['', '#', '```', '| |', '|-|', '---', '[](', '\u0000', '> '.repeat(5000), '- '.repeat(5000)];
    for (const text of odd) await expect(readMarkdown(text), text).resolves.toBeDefined();
    for (const part of ['*a ', '_', '`', '[', '![a](', '<!--', '<b ', '# ', '#', '|a', '> ', '-', '~~', '\\', ' ']) {
      await readMarkdown(part.repeat(9000 / part.length));
      await readMarkdown(part.repeat(500_000 / part.length));
      await readMarkdown(`${part}\n`.repeat(50_000));
      await readMarkdown(`# ${part.repeat(100_000)}x`);
    }
  });
});

describe('sentences', () => {
  const split = (text: string) => sentencesOf(text).map(({ start, end }) => text.slice(start, end));

  it('end where they end, and not after abbreviations, in numbers or in addresses', () => {
    expect(split('Dr. Smith paid 3.50 at example.com/prices.html. It was 5 p.m. Then he left. No final stop')).toEqual([
      'Dr. Smith paid 3.50 at example.com/prices.html.',
      'It was 5 p.m.',
      'Then he left.',
      'No final stop',
    ]);
    expect(
      split('J. R. Smith of the U.S. Navy came, e.g. by boat, i.e. slowly! Really?! “Yes.” He did… maybe.'),
    ).toEqual([
      'J. R. Smith of the U.S. Navy came, e.g. by boat, i.e. slowly!',
      'Really?!',
      '“Yes.”',
      'He did… maybe.',
    ]);
    expect(split('Version 2.0 is out. see no. 5 below.')).toEqual(['Version 2.0 is out. see no. 5 below.']);
  });

  it('are list items, table rows and paragraphs too, without their marks', () => {
    expect(split('You need:\n- a ticket\n- two socks\n1. First\n\nAn end')).toEqual([
      'You need:',
      'a ticket',
      'two socks',
      'First',
      'An end',
    ]);
    expect(split('Mill Lane 5\nAldermere')).toEqual(['Mill Lane 5\nAldermere']);
  });

  it('are stretches of code too, as they stand', () => {
    expect(split('Run it. Like so:\n\n```\nnpm ci. Then:\n  npm start\n\n# again\n```\n\nThat is all.')).toEqual([
      'Run it.',
      'Like so:',
      'npm ci. Then:\n  npm start',
      '# again',
      'That is all.',
    ]);
    expect(split('```\na = 1.\nb = 2.')).toEqual(['a = 1.\nb = 2.']);
  });

  it('know what leads to them: the items of a list what stands above it', () => {
    const text = 'Hello. You need:\n- a ticket. It is cheap.\n- two socks\n\nAn end.\n- alone';
    const spans = sentencesOf(text);
    expect(leadsOf(text, spans).map((lead) => (lead < 0 ? '' : split(text)[lead]))).toEqual([
      '',
      'Hello.',
      'You need:',
      'a ticket.',
      'You need:',
      'two socks',
      'An end.',
    ]);
  });

  it('are found without spaces between them, and not in marks alone', () => {
    expect(split('退货期为三十天。请联系我们！')).toEqual(['退货期为三十天。', '请联系我们！']);
    expect(split('')).toEqual([]);
    expect(split(' ... --- !!! ')).toEqual([]);
  });
});
