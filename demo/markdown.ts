import { render } from 'preact';
import { createDocument, drawDocument, type MarkdownDocument, type Surroundings } from '../widget/markdown/index.ts';
import style from './markdown.css?inline';

const sample = `## What to send back

You have **45 days** from the day it arrived, for *any* reason [1]. See [our help](https://shop.example/help) or write
to help@shop.example.

1. the thing itself, ~~not~~ with its box
   - [x] the order number
   - [ ] a note of what is wrong

| what | how long |
| ---- | -------: |
| lamp | 45 days  |
| bulb | 2 weeks  |

\`\`\`js
const days = 45; // **not** bold
\`\`\`

> Sale items are no exception.
`;

const surroundings: Surroundings = {
  marker: (key) => `[${key}]`,
  words: { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' },
};

const form = document.querySelector('form')!;
const speed = form.querySelector<HTMLInputElement>('[name=speed]')!;
const source = document.querySelector('textarea')!;
const output = document.querySelector<HTMLElement>('.shown')!;

let current: MarkdownDocument | undefined;

/** Streams the text into a new document at the chosen speed, in characters per second. A second call cancels the first. */
function stream(): void {
  const streamed = (current = createDocument());
  const text = source.value;
  const start = performance.now();
  let at = 0;
  const step = (now: number): void => {
    if (current !== streamed) return;
    const next = Math.min(text.length, Math.ceil(((now - start) * Number(speed.value)) / 1000));
    if (next > at) streamed.write(text.slice(at, next));
    at = Math.max(at, next);
    if (at === text.length) streamed.end();
    else requestAnimationFrame(step);
    render(drawDocument(streamed.root, surroundings), output);
  };
  requestAnimationFrame(step);
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets.push(sheet);
source.value = sample;
source.addEventListener('input', stream);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  stream();
});
stream();
