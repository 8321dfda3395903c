import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { demoProfile, createMessage } from '../../../demo/script.ts';
import { splitEvery } from './answer.ts';

/** The bundle that the widget is compared with. */
export const DEEP_CHAT_BUNDLE = 'node_modules/deep-chat/dist/deepChat.bundle.js';

/** Characters of text in each event: about a token. */
export const CHUNK_LENGTH = 8;

const EVENT_INTERVAL_MS = 2;

/** A fake chat server, with the pages that measure the widget, deep-chat and a plain text node. */
export interface FakeServer {
  base: string;
  /** Sets the text of the following answers. */
  setAnswer(text: string): void;
  close(): void;
}

const PANEL_SIZE = 'width: 400px; height: 640px';
const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,"><body>${body}`;

/** Each page loads what it measures as in production; deep-chat loads at a click, as the widget's panel does. */
const PAGES: Record<string, string> = {
  '/docent': page('<script async src="embed.js" data-chatbot="bench"></script>'),
  '/deep-chat': page(`<button id="open">Open chat</button><script type="module">
document.getElementById('open').onclick = async () => {
  await import('./deep-chat.js');
  const chat = document.createElement('deep-chat');
  chat.style.cssText = '${PANEL_SIZE}';
  chat.connect = { url: 'text-events', stream: true };
  document.body.append(chat);
};
</script>`),
  '/text':
    page(`<div id="text" style="${PANEL_SIZE}; overflow: auto; white-space: pre-wrap"></div><script type="module">
import { readEvents } from './in-page.js';
const element = document.getElementById('text');
const node = element.appendChild(new Text());
let pending = '';
const paint = () => {
  node.appendData(pending);
  pending = '';
  element.scrollTop = element.scrollHeight;
};
window.ask = () => readEvents('text-events', (text) => {
  if (!pending) requestAnimationFrame(paint);
  pending += text;
});
</script>`),
};

const event = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The events of POST /chat/:uuid/ask. */
function docentEvents(text: string): string[] {
  let length = 0;
  const deltas = splitEvery(text, CHUNK_LENGTH).map((piece) =>
    event('delta', { text: piece }, (length += piece.length)),
  );
  const opening = event('session', { uuid: 's1' }) + event('message', { uuid: 'm1' });
  return [opening, ...deltas, event('done', createMessage('Go on', text))];
}

/** Events in deep-chat's format: text alone. */
const textEvents = (text: string): string[] =>
  splitEvery(text, CHUNK_LENGTH).map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`);

function stream(response: ServerResponse, events: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' });
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(events.length, Math.ceil((performance.now() - start) / EVENT_INTERVAL_MS));
    // One write per event, as a server that forwards tokens does.
    while (sent < due) response.write(events[sent++]);
    if (sent < events.length) return;
    clearInterval(timer);
    response.end();
  }, EVENT_INTERVAL_MS);
  response.on('close', () => clearInterval(timer));
}

/** Serves the built widget, deep-chat's published bundle and `inPage`, the bench's module, all gzipped. */
export async function startFakeServer(inPage: string): Promise<FakeServer> {
  let text = '';
  const zip = (content: string | Buffer): Buffer => gzipSync(content, { level: 9 });
  const scripts = new Map<string, Buffer>([
    ['/deep-chat.js', zip(readFileSync(DEEP_CHAT_BUNDLE))],
    ['/in-page.js', zip(inPage)],
  ]);
  const scriptOf = (path: string): Buffer => {
    const script = scripts.get(path);
    if (script) return script;
    const folder = path.startsWith('/embed/') ? 'dist/embed' : 'dist';
    return readFileSync(`${folder}/${basename(path)}.gz`);
  };
  const server = createServer((request, response) => {
    request.resume();
    const { url = '/' } = request;
    const html = PAGES[url];
    if (html) return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    if (url === '/chat/bench/ask') return stream(response, docentEvents(text));
    if (url === '/text-events') return stream(response, textEvents(text));
    if (url === '/chat/bench')
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(demoProfile));
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Content-Encoding': 'gzip' });
    return response.end(scriptOf(url));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    setAnswer: (answer) => void (text = answer),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
