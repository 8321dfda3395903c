import type { Failure } from '../widget/client/client.ts';
import { launch } from '../widget/launch.ts';
import { openPanel } from '../widget/panel.tsx';
import { arabic, cited, long, returns, unknown } from './samples.ts';
import { face, forever, message, opening, pageStorage, pieces, play, wait, whole, type Script } from './script.ts';
import style from './states.css?inline';

interface Scene extends Script {
  name: string;
  /** What the visitor asks. */
  ask?: string;
  /** What the visitor presses then, as a selector. */
  press?: string;
  /** Or where a mouse of the visitor's rests. */
  rest?: string;
  session?: string;
}

const fails = (data: Failure): Scene['answer'] =>
  async function* () {
    yield { event: 'error', data };
  };

const answered = { ask: returns, answer: (_: string, signal: AbortSignal) => whole(cited, signal) };

const scenes: Scene[] = [
  { name: 'Welcome', answer: (_, signal) => whole(cited, signal, 28) },
  {
    name: 'To agree to first',
    face: {
      consent: 'What you write is kept for 30 days so that we can answer better. Please leave out names and numbers.',
      privacy_url: 'https://shop.example.org/privacy',
    },
    answer: (_, signal) => whole(cited, signal, 28),
  },
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
  { name: 'Answered, with sources', ...answered },
  { name: 'A citation opened', ...answered, rest: 'button.marker' },
  { name: 'A thumb down, with a word', ...answered, press: '.actions button:nth-of-type(4)' },
  { name: "I don't know", ask: unknown.query, answer: (_, signal) => whole(unknown, signal) },
  {
    name: 'Too many questions',
    ask: 'And one more thing…',
    answer: fails({
      code: 'rate_limited',
      error: 'That was a lot of questions at once. Please take a short break.',
      retry_after: 95,
    }),
  },
  { name: 'Failed', ask: returns, answer: fails({ code: 'model_failed' }) },
  { name: 'No network', ask: returns, answer: fails({ code: 'network' }) },
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
    messages: [
      { ...message('Do you ship to Canada?', 'Yes, by tracked parcel in 5 to 8 working days.'), uuid: 'm0' },
      cited,
    ],
    answer: (_, signal) => whole(unknown, signal, 28),
  },
  {
    name: 'From right to left',
    face: { language: 'ar', name: 'توليفر ورين', greeting: '', suggestions: [] },
    ask: arabic.query,
    answer: (_, signal) => whole(arabic, signal),
  },
  { name: 'Dark', face: { theme: { scheme: 'dark' } }, ...answered },
  { name: 'Compact, in a colour of yours', face: { density: 'compact', theme: { color: '#0f766e' } }, ...answered },
];

/** `?scene=Welcome` shows one alone; `?scheme=dark`, `?dir=rtl` and `?language=de` are those of the page. */
const wanted = new URLSearchParams(location.search);

/** Resolves with what is selected as soon as it is there. */
async function arrival(root: ShadowRoot, selector: string): Promise<HTMLElement> {
  for (;;) {
    const element = root.querySelector<HTMLElement>(selector);
    if (element) return element;
    await wait(50);
  }
}

async function show({ name, ask, press, rest, session, ...script }: Scene, place: HTMLElement): Promise<void> {
  const scene = document.createElement('section');
  const title = document.createElement('h2');
  const host = document.createElement('div');
  title.textContent = name;
  scene.className = 'scene';
  scene.append(title, host);
  place.append(scene);
  const options = { server: '', chatbot: name, client: play(script), memory: pageStorage({ session }) };
  const root = host.attachShadow({ mode: 'open' });
  const { chat } = openPanel(root, options);
  chat.open();
  if (!ask) return;
  await arrival(root, 'textarea');
  chat.ask(ask);
  if (rest) (await arrival(root, rest)).dispatchEvent(new MouseEvent('mouseenter', { bubbles: true }));
  if (!press) return;
  const pressed = await arrival(root, press);
  pressed.focus();
  pressed.click();
}

function start(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  const page = document.documentElement;
  page.style.colorScheme = wanted.get('scheme') ?? '';
  page.dir = wanted.get('dir') ?? page.dir;
  page.lang = wanted.get('language') ?? page.lang;
  const place = document.getElementById('scenes')!;
  const one = wanted.get('scene');
  document.body.classList.toggle('alone', !!one);
  for (const scene of scenes) if (!one || scene.name === one) void show(scene, place);
  const script: Script = { answer: (query, signal) => whole({ ...cited, query }, signal, 28) };
  const settings = { teaser: 'Questions about your order?', teaser_after: 1 };
  if (!one)
    launch({ server: '', chatbot: face.uuid, settings }, async () => ({
      openPanel: (root, options) => openPanel(root, { ...options, client: play(script), storage: pageStorage() }),
    }));
}

start();
