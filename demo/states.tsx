import type { Failure } from '../widget/client/client.ts';
import { launch } from '../widget/launch.ts';
import { openPanel } from '../widget/panel.tsx';
import { arabicAnswer, citedAnswer, longAnswer, returnsQuestion, noAnswer } from './samples.ts';
import {
  demoProfile,
  untilAborted,
  createMessage,
  firstEvents,
  pageStorage,
  streamText,
  createScriptedClient,
  sleep,
  streamAnswer,
  type Script,
} from './script.ts';
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

const answered = {
  ask: returnsQuestion,
  answer: (_: string, signal: AbortSignal) => streamAnswer(citedAnswer, signal),
};

const scenes: Scene[] = [
  { name: 'Welcome', answer: (_, signal) => streamAnswer(citedAnswer, signal, 28) },
  {
    name: 'To agree to first',
    waitForElement: {
      consent: 'What you write is kept for 30 days so that we can answer better. Please leave out names and numbers.',
      privacy_url: 'https://shop.example.org/privacy',
    },
    answer: (_, signal) => streamAnswer(citedAnswer, signal, 28),
  },
  {
    name: 'Waiting',
    ask: returnsQuestion,
    async *answer(_, signal) {
      yield* firstEvents();
      await untilAborted(signal);
    },
  },
  {
    name: 'Streaming',
    ask: returnsQuestion,
    async *answer(_, signal) {
      yield* firstEvents();
      yield* streamText(citedAnswer.response.slice(0, 190), signal);
      await untilAborted(signal);
    },
  },
  { name: 'Answered, with sources', ...answered },
  { name: 'A citation opened', ...answered, rest: 'button.marker' },
  { name: 'A thumb down, with a word', ...answered, press: '.actions button:nth-of-type(4)' },
  { name: "I don't know", ask: noAnswer.query, answer: (_, signal) => streamAnswer(noAnswer, signal) },
  {
    name: 'Too many questions',
    ask: 'And one more thing…',
    answer: fails({
      code: 'rate_limited',
      error: 'That was a lot of questions at once. Please take a short break.',
      retry_after: 95,
    }),
  },
  { name: 'Failed', ask: returnsQuestion, answer: fails({ code: 'model_failed' }) },
  { name: 'No network', ask: returnsQuestion, answer: fails({ code: 'network' }) },
  {
    name: 'Stopped',
    ask: returnsQuestion,
    async *answer() {
      yield* firstEvents();
      const response = citedAnswer.response.slice(0, 96);
      yield { event: 'delta', id: response.length, data: { text: response } };
      yield { event: 'done', data: createMessage(returnsQuestion, response, {}, 'stopped') };
    },
  },
  {
    name: 'Reconnecting',
    ask: returnsQuestion,
    async *answer(_, signal) {
      yield* firstEvents();
      yield* streamText(citedAnswer.response.slice(0, 120), signal, 0);
    },
    async *resume(signal) {
      yield* [];
      await untilAborted(signal);
    },
  },
  { name: 'A long answer', ask: longAnswer.query, answer: (_, signal) => streamAnswer(longAnswer, signal) },
  {
    name: 'A conversation restored',
    session: 's1',
    messages: [
      { ...createMessage('Do you ship to Canada?', 'Yes, by tracked parcel in 5 to 8 working days.'), uuid: 'm0' },
      citedAnswer,
    ],
    answer: (_, signal) => streamAnswer(noAnswer, signal, 28),
  },
  {
    name: 'From right to left',
    waitForElement: { language: 'ar', name: 'توليفر ورين', greeting: '', suggestions: [] },
    ask: arabicAnswer.query,
    answer: (_, signal) => streamAnswer(arabicAnswer, signal),
  },
  { name: 'Dark', waitForElement: { theme: { scheme: 'dark' } }, ...answered },
  {
    name: 'Compact, in a colour of yours',
    waitForElement: { density: 'compact', theme: { color: '#0f766e' } },
    ...answered,
  },
];

/** `?scene=Welcome` shows one alone; `?scheme=dark`, `?dir=rtl` and `?language=de` are those of the page. */
const wanted = new URLSearchParams(location.search);

/** Resolves with what is selected as soon as it is there. */
async function arrival(root: ShadowRoot, selector: string): Promise<HTMLElement> {
  for (;;) {
    const element = root.querySelector<HTMLElement>(selector);
    if (element) return element;
    await sleep(50);
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
  const options = { server: '', chatbot: name, client: createScriptedClient(script), memory: pageStorage({ session }) };
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
  const script: Script = { answer: (query, signal) => streamAnswer({ ...citedAnswer, query }, signal, 28) };
  const settings = { teaser: 'Questions about your order?', teaser_after: 1 };
  if (!one)
    launch({ server: '', chatbot: demoProfile.uuid, settings }, async () => ({
      openPanel: (root, options) =>
        openPanel(root, { ...options, client: createScriptedClient(script), storage: pageStorage() }),
    }));
}

start();
