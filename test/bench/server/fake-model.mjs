import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The bench's model server. It parses no request and writes prebuilt events, so that it takes little of the CPU. It also serves the
 * pages that the chatbot ingests. `POST /control` {mode, pace, release} sets how the next answers are written: `whole`: all
 * events at once, one write each; `paced`: one every `pace` ms until `release`; `timed`: the same, of one answer; `held`: five, the rest at `release`; `large`: a long
 * answer at once.
 */

const WORDS = 'You can return anything unused within thirty days of delivery, and we pay for the way back.'.split(' ');
const CHUNKS = Array.from({ length: 40 }, (_, at) =>
  at === 39 ? ' [1]' : `${at ? ' ' : ''}${WORDS[at % WORDS.length]}`,
);
const LARGE = Array.from({ length: 95 }, (_, at) => `${at} ${'x'.repeat(4090)}\n`);

/** @param {object} delta @param {string | null} finish */
const event = (delta, finish = null) => {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const head = { id: 'chatcmpl-0123456789abcdefghij', object: 'chat.completion.chunk', created: 1_790_000_000 };
  return Buffer.from(`data: ${JSON.stringify({ ...head, model: 'fake', system_fingerprint: 'fp_01', choices })}\n\n`);
};
const events = CHUNKS.map((content) => event({ content }));
const large = LARGE.map((content) => event({ content }));
const end = Buffer.concat([event({}, 'stop'), Buffer.from('data: [DONE]\n\n')]);

let mode = 'whole';
let pace = 20;
let written = 0;
/** @type {Set<() => void>} */
const open = new Set();

const site = join(process.cwd(), 'demo');

const server = createServer((request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/site/')) return void page(url.slice(6), response);
  if (url === '/robots.txt') return void response.writeHead(404).end();
  if (url === '/control') return void control(request, response);
  if (url === '/count') return void response.end(JSON.stringify({ written, open: open.size }));
  request.resume();
  request.on('end', () => answer(response));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () => {
  const address = server.address();
  if (address && typeof address === 'object')
    process.stdout.write(`${JSON.stringify({ port: address.port })}
`);
});

/** @param {string} name @param {import('node:http').ServerResponse} response */
function page(name, response) {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(/^\w+\.html$/.test(name) ? readFileSync(join(site, name)) : '');
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function control(request, response) {
  let body = '';
  for await (const piece of request) body += piece;
  const order = JSON.parse(body);
  mode = order.mode ?? mode;
  pace = order.pace ?? pace;
  if (order.release) for (const release of open) release();
  response.end('{}');
}

/** @param {import('node:http').ServerResponse} response */
function answer(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (mode === 'paced') return void paced(response);
  if (mode === 'timed') return void timed(response);
  const all = mode === 'large' ? large : events;
  const first = mode === 'held' ? 5 : all.length;
  for (const one of all.slice(0, first)) response.write(one);
  written += first;
  if (first === all.length) return void response.end(end);
  const release = () => {
    open.delete(release);
    for (const one of all.slice(first)) response.write(one);
    response.end(end);
  };
  open.add(release);
  response.on('close', () => open.delete(release));
}

/** @param {import('node:http').ServerResponse} response */
function paced(response) {
  let at = 0;
  const timer = setInterval(() => {
    response.write(events[at % 39]);
    at += 1;
    written += 1;
  }, pace);
  const release = () => {
    open.delete(release);
    clearInterval(timer);
    response.end(end);
  };
  open.add(release);
  response.on('close', () => {
    open.delete(release);
    clearInterval(timer);
  });
}

/** @param {import('node:http').ServerResponse} response */
function timed(response) {
  let at = 0;
  const timer = setInterval(() => {
    response.write(events[at]);
    at += 1;
    written += 1;
    if (at < events.length) return;
    clearInterval(timer);
    response.end(end);
  }, pace);
  response.on('close', () => clearInterval(timer));
}
