import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { demoProfile, createMessage } from '../../../demo/script.ts';
import { cut } from './answer.ts';

export const PEER = 'node_modules/deep-chat/dist/deepChat.bundle.js';

/** The length of an event's text, as of a model's tokens. */
export const PIECE = 8;

/** Milliseconds from one event to the next. */
const PACE = 2;

/** A door without a server behind it, and the pages that the widget, its peer and a bare text are measured on. */
export interface Door {
  base: string;
  /** What is answered from now on. */
  answer(text: string): void;
  close(): void;
}

const PANEL = 'width: 400px; height: 640px';
const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,"><body>${body}`;

/** A page loads what it measures as its visitor would; the peer is put behind a button, as a careful owner would. */
const PAGES: Record<string, string> = {
  '/docent': page('<script async src="embed.js" data-chatbot="bench"></script>'),
  '/deep-chat': page(`<button id="open">Open chat</button><script type="module">
document.getElementById('open').onclick = async () => {
  await import('./deep-chat.js');
  const chat = document.createElement('deep-chat');
  chat.style.cssText = '${PANEL}';
  chat.connect = { url: 'bare', stream: true };
  document.body.append(chat);
};
</script>`),
  '/text': page(`<div id="text" style="${PANEL}; overflow: auto; white-space: pre-wrap"></div><script type="module">
import { readEvents } from './in-page.js';
const place = document.getElementById('text');
const node = place.appendChild(new Text());
let waiting = '';
const paint = () => {
  node.appendData(waiting);
  waiting = '';
  place.scrollTop = place.scrollHeight;
};
window.ask = () => readEvents('bare', (text) => {
  if (!waiting) requestAnimationFrame(paint);
  waiting += text;
});
</script>`),
};

const event = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** As Docent's door writes it. */
function docentEvents(text: string): string[] {
  let length = 0;
  const deltas = cut(text, PIECE).map((piece) => event('delta', { text: piece }, (length += piece.length)));
  const opening = event('session', { uuid: 's1' }) + event('message', { uuid: 'm1' });
  return [opening, ...deltas, event('done', createMessage('Go on', text))];
}

/** As the peer reads it: each event a piece of text, and nothing else. */
const bareEvents = (text: string): string[] =>
  cut(text, PIECE).map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`);

function stream(response: ServerResponse, events: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' });
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(events.length, Math.ceil((performance.now() - began) / PACE));
    // A write for each, as a server that passes tokens on does.
    while (sent < due) response.write(events[sent++]);
    if (sent < events.length) return;
    clearInterval(timer);
    response.end();
  }, PACE);
  response.on('close', () => clearInterval(timer));
}

/** Serves the built widget, the peer's published bundle, and `inPage`, the bench's own module, all of them compressed. */
export async function openDoor(inPage: string): Promise<Door> {
  let text = '';
  const zip = (content: string | Buffer): Buffer => gzipSync(content, { level: 9 });
  const scripts = new Map<string, Buffer>([
    ['/deep-chat.js', zip(readFileSync(PEER))],
    ['/in-page.js', zip(inPage)],
  ]);
  const scriptOf = (path: string): Buffer => {
    const known = scripts.get(path);
    if (known) return known;
    const folder = path.startsWith('/embed/') ? 'dist/embed' : 'dist';
    return readFileSync(`${folder}/${basename(path)}.gz`);
  };
  const server = createServer((request, response) => {
    request.resume();
    const { url = '/' } = request;
    const html = PAGES[url];
    if (html) return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    if (url === '/chat/bench/ask') return stream(response, docentEvents(text));
    if (url === '/bare') return stream(response, bareEvents(text));
    if (url === '/chat/bench')
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(demoProfile));
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Content-Encoding': 'gzip' });
    return response.end(scriptOf(url));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    answer: (given) => void (text = given),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
