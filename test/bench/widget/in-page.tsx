import { signal } from '@preact/signals';
import { options, render } from 'preact';
import { Markdown } from '../../../widget/markdown/Markdown.tsx';

/** Functions that the bench runs inside the page. */

export interface WriteResult {
  ms: number;
  shown: string;
}

/** Renders a growing answer with Docent's Markdown, synchronously after each chunk. */
export function writeDocent(chunks: string[]): WriteResult {
  options.debounceRendering = (draw) => draw();
  const container = document.createElement('div');
  const text = signal('');
  const words = { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' };
  document.body.append(container);
  let last = '';
  render(<Markdown text={text} last={() => last} isWhole={false} words={words} marker={(key) => key} />, container);
  const start = performance.now();
  for (const chunk of chunks) {
    last = chunk;
    text.value += chunk;
  }
  const ms = performance.now() - start;
  const shown = container.textContent;
  render(null, container);
  container.remove();
  return { ms, shown };
}

/** Baseline: appends each chunk to a text node, in a new paragraph after each line break. */
export function writeText(chunks: string[]): WriteResult {
  const container = document.body.appendChild(document.createElement('div'));
  const paragraph = (): Text => container.appendChild(document.createElement('p')).appendChild(new Text());
  let node = paragraph();
  const start = performance.now();
  for (const chunk of chunks) {
    if (chunk.includes('\n')) node = paragraph();
    node.appendData(chunk);
  }
  const ms = performance.now() - start;
  const shown = container.textContent;
  container.remove();
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

/** Passes the chunks to deep-chat's stream handler. */
export async function writeDeepChat(chunks: string[]): Promise<WriteResult> {
  await import(/* @vite-ignore */ new URL('/deep-chat.js', location.href).href);
  const chat = document.createElement('deep-chat') as DeepChat;
  const ms = await new Promise<number>((resolve) => {
    const handler = async (_: unknown, signals: Signals): Promise<void> => {
      signals.onOpen();
      const start = performance.now();
      for (const text of chunks) await signals.onResponse({ text });
      resolve(performance.now() - start);
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

/** Baseline: reads an event stream and passes on the text of each event. */
export async function readEvents(url: string, onText: (text: string) => void): Promise<void> {
  const reader = (await fetch(url, { method: 'POST' })).body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop()!;
    for (const event of events) onText((JSON.parse(event.slice('data: '.length)) as { text: string }).text);
  }
}
