import type { Citations } from '../server/types.ts';
import { Failure } from '../widget/client.ts';
import { launch } from '../widget/launch.ts';
import { openPanel } from '../widget/panel.tsx';
import { face, forever, message, opening, pageMemory, pieces, play, wait, whole, type Script } from './script.ts';
import style from './states.css?inline';

const returns = 'How long do I have to return something?';

const citations: Citations = {
  1: {
    data_source_uuid: 'a',
    title: 'Returns and refunds',
    text: 'You can send back anything you bought from us within 45 days of the day it reached you, for any reason. Sale items are no exception.',
    file_name: 'https://shop.example.org/help/returns',
    type: 'link',
  },
  2: {
    data_source_uuid: 'a',
    title: 'Returns and refunds',
    text: 'We refund the full price to the card or account you paid with, usually within three working days of the parcel reaching our workshop.',
    file_name: 'https://shop.example.org/help/returns',
    type: 'link',
  },
  3: {
    data_source_uuid: 'b',
    title: 'Contact and opening hours',
    text: 'Write to us at any hour.',
    file_name: 'https://shop.example.org/help/contact',
    type: 'link',
  },
};

const cited = message(
  returns,
  'You have **45 days** from the day your parcel arrived, for any reason, sale items included [1].\n\nThe refund goes back to the card or account you paid with, usually within three working days of the parcel reaching our workshop [2]. If anything is unclear, [write to us](https://shop.example.org/help/contact) [3].',
  citations,
);

const unknown = message(
  'Will it rain on Sunday?',
  "I don't know: I found nothing about that on this site.\n\nTry other words, or ask about shipping, returns, warranty or payments.",
);

const long = message(
  'Explain the tracking API',
  `## Tracking an order

Every order has a *tracking key*. With it you can:

1. read where the parcel is,
2. be told when it moves,
   - by mail, or
   - by a \`POST\` to your own address;
3. ask for it back ~~within a day~~ at any time.

\`\`\`js
const order = await fetch('/orders/4711', {
  headers: { Authorization: \`Bearer \${key}\` },
});
console.log((await order.json()).status);
\`\`\`

| Status | Meaning | Days |
|:--|:--|--:|
| \`packed\` | ready to leave us | 0 |
| \`moving\` | with the carrier | 1–4 |
| \`waiting\` | at a pick-up point near you | 7 |

> Keys are secret: keep them on your server.

---

### Limits

At most 60 requests a minute [1]. See https://shop.example.org/help/api for the rest.`,
  { 1: { ...citations['3']!, title: 'Tracking API', text: 'At most 60 requests a minute are answered for one key.' } },
);

interface Scene extends Script {
  name: string;
  ask?: string;
  after?: (root: ShadowRoot) => void;
  session?: string;
}

const fails = (failure: Failure): Scene['answer'] =>
  async function* () {
    yield* [];
    throw failure;
  };

const scenes: Scene[] = [
  { name: 'Empty', answer: (_, signal) => whole(cited, signal, 28) },
  {
    name: 'Waiting',
    ask: returns,
    async *answer(_, signal) {
      yield* opening();
      await forever(signal);
    },
  },
  {
    name: 'Streaming',
    ask: returns,
    async *answer(_, signal) {
      yield* opening();
      yield* pieces(cited.response.slice(0, 190), signal);
      await forever(signal);
    },
  },
  { name: 'Answered, with sources', ask: returns, answer: (_, signal) => whole(cited, signal) },
  {
    name: 'A citation opened',
    ask: returns,
    answer: (_, signal) => whole(cited, signal),
    after: (root) => root.querySelector<HTMLElement>('button.marker')?.click(),
  },
  { name: "I don't know", ask: unknown.query, answer: (_, signal) => whole(unknown, signal) },
  {
    name: 'Too many questions',
    ask: 'And one more thing…',
    answer: fails(
      new Failure('rate_limited', 'That was a lot of questions at once. Please take a short break.', 429, 95),
    ),
  },
  { name: 'Failed', ask: returns, answer: fails(new Failure('model_failed', '', 502)) },
  {
    name: 'Stopped',
    ask: returns,
    async *answer() {
      yield* opening();
      const response = cited.response.slice(0, 96);
      yield { event: 'delta', id: response.length, data: { text: response } };
      yield { event: 'done', data: message(returns, response, {}, 'stopped') };
    },
  },
  {
    name: 'Reconnecting',
    ask: returns,
    async *answer(_, signal) {
      yield* opening();
      yield* pieces(cited.response.slice(0, 120), signal, 0);
    },
    async *resume(signal) {
      yield* [];
      await forever(signal);
    },
  },
  { name: 'A long answer', ask: long.query, answer: (_, signal) => whole(long, signal) },
  {
    name: 'A conversation restored',
    session: 's1',
    messages: [message('Do you ship to Canada?', 'Yes, by tracked parcel in 5 to 8 working days.'), cited],
    answer: (_, signal) => whole(unknown, signal, 28),
  },
];

async function show({ name, ask, after, session, ...script }: Scene, place: HTMLElement): Promise<void> {
  const scene = document.createElement('section');
  const title = document.createElement('h2');
  const host = document.createElement('div');
  title.textContent = name;
  scene.className = 'scene';
  scene.append(title, host);
  place.append(scene);
  const options = { server: '', chatbot: name, client: play(script), memory: pageMemory({ session }) };
  const root = host.attachShadow({ mode: 'open' });
  const { chat } = openPanel(root, { ...options, isInline: true });
  chat.open();
  if (!ask) return;
  await wait(50);
  chat.ask(ask);
  await wait(400);
  after?.(root);
}

function start(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  const place = document.getElementById('scenes')!;
  for (const scene of scenes) void show(scene, place);
  const script: Script = { answer: (query, signal) => whole({ ...cited, query }, signal, 28) };
  launch({ server: '', chatbot: face.uuid }, async () => ({
    openPanel: (root, options) => openPanel(root, { ...options, client: play(script), memory: pageMemory() }),
  }));
}

start();
