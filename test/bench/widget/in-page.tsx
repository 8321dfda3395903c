import { signal } from '@preact/signals';
import { options, render } from 'preact';
import { Markdown } from '../../../widget/markdown/Markdown.tsx';

/** What the bench runs inside a page. Times are milliseconds. */

export interface Written {
  ms: number;
  shown: string;
}

/** Draws a growing answer with Docent's Markdown, after each chunk at once. */
export function writeDocent(chunks: string[]): Written {
  options.debounceRendering = (draw) => draw();
  const place = document.createElement('div');
  const text = signal('');
  const words = { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' };
  document.body.append(place);
  let last = '';
  render(<Markdown text={text} last={() => last} isWhole={false} words={words} marker={(key) => key} />, place);
  const began = performance.now();
  for (const chunk of chunks) {
    last = chunk;
    text.value += chunk;
  }
  const ms = performance.now() - began;
  const shown = place.textContent;
  render(null, place);
  place.remove();
  return { ms, shown };
}

/** The least that shows the same pieces: each added to a paragraph of its own, or to a new one after an empty line. */
export function writeText(chunks: string[]): Written {
  const place = document.body.appendChild(document.createElement('div'));
  const paragraph = (): Text => place.appendChild(document.createElement('p')).appendChild(new Text());
  let node = paragraph();
  const began = performance.now();
  for (const chunk of chunks) {
    if (chunk.includes('\n')) node = paragraph();
    node.appendData(chunk);
  }
  const ms = performance.now() - began;
  const shown = place.textContent;
  place.remove();
  return { ms, shown };
}

interface Signals {
  onOpen(): void;
  onResponse(response: { text: string }): Promise<void>;
  onClose(): void;
}

interface DeepChat extends HTMLElement {
  connect: { stream: boolean; handler(body: unknown, signals: Signals): void };
  submitUserMessage(message: { text: string }): void;
}

/** The same through the peer's own handler. */
export async function writeDeepChat(chunks: string[]): Promise<Written> {
  await import(/* @vite-ignore */ new URL('/deep-chat.js', location.href).href);
  const chat = document.createElement('deep-chat') as DeepChat;
  const ms = await new Promise<number>((resolve) => {
    const handler = async (_: unknown, signals: Signals): Promise<void> => {
      signals.onOpen();
      const began = performance.now();
      for (const text of chunks) await signals.onResponse({ text });
      resolve(performance.now() - began);
      signals.onClose();
    };
    chat.connect = { stream: true, handler: (body, signals) => void handler(body, signals) };
    document.body.append(chat);
    setTimeout(() => chat.submitUserMessage({ text: 'Go on' }), 200);
  });
  const shown = chat.shadowRoot!.getElementById('messages')!.textContent;
  chat.remove();
  return { ms, shown };
}

/** Reads a stream of events and gives the text of each: the least that any widget does. */
export async function readEvents(url: string, take: (text: string) => void): Promise<void> {
  const reader = (await fetch(url, { method: 'POST' })).body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop()!;
    for (const event of events) take((JSON.parse(event.slice('data: '.length)) as { text: string }).text);
  }
}
