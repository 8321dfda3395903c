import type { Failure } from '../widget/client/client.ts';
import { launch } from '../widget/embed/launcher.ts';
import type { Chat } from '../widget/chat/types.ts';
import { openPanel, type PanelOptions } from '../widget/panel.tsx';
import {
  arabicAnswer,
  citedAnswer,
  continuedAnswer,
  codeAnswer,
  formAnswer,
  linksAnswer,
  longAnswer,
  noAnswer,
  pastConversations,
  returnsQuestion,
  unsureAnswer,
} from './samples.ts';
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
  /** The visitor's question. */
  ask?: string;
  /** Selector of what is clicked after the answer. */
  click?: string;
  /** Selector of what the mouse hovers over after the answer; a scene alone, whose focus no other takes, clicks it. */
  hover?: string;
  session?: string;
  past?: typeof pastConversations;
}

const fails = (data: Failure): Scene['answer'] =>
  async function* () {
    yield { event: 'error', data };
  };

const answered = {
  ask: returnsQuestion,
  answer: (_: string, signal: AbortSignal) => streamAnswer(citedAnswer, signal),
};

const cancelOrder = {
  function: 'cancel_order',
  name: 'Cancel the order',
  arguments: { order: 'A-17', note: 'I have found a smaller one. '.repeat(20).trim() },
};
const cancellation = createMessage('Cancel my order A-17', 'Please confirm before this is done: Cancel the order');

const scenes: Scene[] = [
  { name: 'Welcome', answer: (_, signal) => streamAnswer(citedAnswer, signal, 28) },
  {
    name: 'To agree to first',
    profile: {
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
  {
    name: 'A tool function runs',
    ask: 'Where is my order A-17?',
    async *answer(_, signal) {
      yield* firstEvents();
      yield { event: 'step', data: { name: 'Looking up your order…' } };
      await untilAborted(signal);
    },
  },
  {
    name: 'A call to confirm',
    ask: cancellation.query,
    async *answer() {
      yield* firstEvents();
      yield { event: 'confirm', data: cancelOrder };
      yield { event: 'done', data: { ...cancellation, confirm: { ...cancelOrder, expires_in: 600 } } };
    },
  },
  {
    name: 'A call not confirmed in time',
    session: 's1',
    messages: [{ ...cancellation, confirm: { ...cancelOrder, expires_in: 0 } }],
    answer: (_, signal) => streamAnswer(noAnswer, signal, 28),
  },
  { name: 'Answered, with sources', ...answered },
  { name: 'A citation opened', ...answered, hover: 'button.marker' },
  { name: 'A thumb down, with a word', ...answered, click: '.actions button:nth-of-type(4)' },
  {
    name: 'Questions to go on with',
    ask: returnsQuestion,
    answer: (_, signal) => streamAnswer(continuedAnswer, signal),
  },
  { name: 'Not sure', ask: unsureAnswer.query, answer: (_, signal) => streamAnswer(unsureAnswer, signal) },
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
  {
    name: 'Failed, with the nearest pages',
    ask: returnsQuestion,
    answer: fails({ code: 'model_failed', parts: linksAnswer.parts!.slice(0, 1) }),
  },
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
  { name: 'Code', ask: codeAnswer.query, answer: (_, signal) => streamAnswer(codeAnswer, signal) },
  { name: 'Link cards and replies', ask: linksAnswer.query, answer: (_, signal) => streamAnswer(linksAnswer, signal) },
  { name: 'A form', ask: formAnswer.query, answer: (_, signal) => streamAnswer(formAnswer, signal) },
  {
    name: 'Earlier conversations',
    session: 's1',
    past: pastConversations,
    messages: [citedAnswer],
    click: 'header button',
    answer: (_, signal) => streamAnswer(noAnswer, signal, 28),
  },
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
    profile: { language: 'ar', name: 'توليفر ورين', greeting: '', suggestions: [] },
    ask: arabicAnswer.query,
    answer: (_, signal) => streamAnswer(arabicAnswer, signal),
  },
  { name: 'Dark', profile: { theme: { scheme: 'dark' } }, ...answered },
  {
    name: 'Compact, in a colour of yours',
    profile: { density: 'compact', theme: { color: '#0f766e' } },
    ...answered,
  },
];

/** `?scene=Welcome` shows that scene alone; `?scheme=dark`, `?dir=rtl`, `?language=de` and `?color=teal` apply to the page. */
const parameters = new URLSearchParams(location.search);

/** Resolves with the first element that matches, as soon as there is one. */
async function waitForElement(root: ShadowRoot, selector: string): Promise<HTMLElement> {
  for (;;) {
    const element = root.querySelector<HTMLElement>(selector);
    if (element) return element;
    await sleep(50);
  }
}

type Its = Pick<PanelOptions, 'client' | 'storage'>;

function openInside(host: HTMLElement, chatbot: string, its: Its): { root: ShadowRoot; chat: Chat } {
  const root = host.attachShadow({ mode: 'open' });
  const { chat } = openPanel(root, { server: '', chatbot, ...its });
  chat.open();
  return { root, chat };
}

/** As on a page: above its launcher, or all over a phone. */
const openInCorner = (chatbot: string, its: Its): Promise<{ root: ShadowRoot; chat: Chat }> =>
  new Promise((resolve) => {
    const { open } = launch({ server: '', chatbot }, async () => ({
      openPanel(root, options) {
        const opened = openPanel(root, { ...options, ...its });
        opened.chat.open('quietly');
        resolve({ root, chat: opened.chat });
        return opened;
      },
    }));
    open();
  });

async function show(
  { name, ask, click, hover, session, past, ...script }: Scene,
  container: HTMLElement,
  isAlone: boolean,
): Promise<void> {
  const scene = document.createElement('section');
  const title = document.createElement('h2');
  const host = document.createElement('div');
  title.textContent = name;
  scene.className = 'scene';
  scene.append(title, host);
  container.append(scene);
  const its = { client: createScriptedClient(script), storage: pageStorage({ session, past }) };
  const { root, chat } = isAlone ? await openInCorner(name, its) : openInside(host, name, its);
  if (!ask && !click) return;
  await waitForElement(root, 'textarea');
  if (ask) chat.ask(ask);
  if (hover && !isAlone)
    (await waitForElement(root, hover)).dispatchEvent(new MouseEvent('mouseenter', { bubbles: true }));
  if (hover) await waitForElement(root, '.sources');
  const pressed = click ?? (isAlone ? hover : undefined);
  if (!pressed) return;
  const button = await waitForElement(root, pressed);
  button.focus();
  button.click();
}

function start(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  const page = document.documentElement;
  page.style.colorScheme = parameters.get('scheme') ?? '';
  page.style.setProperty('--docent-color', parameters.get('color'));
  page.dir = parameters.get('dir') ?? page.dir;
  page.lang = parameters.get('language') ?? page.lang;
  const container = document.getElementById('scenes')!;
  const selected = parameters.get('scene');
  document.body.classList.toggle('alone', !!selected);
  for (const scene of scenes) if (!selected || scene.name === selected) void show(scene, container, !!selected);
  const script: Script = { answer: (query, signal) => streamAnswer({ ...citedAnswer, query }, signal, 28) };
  const settings = { teaser: 'Questions about your order?', teaser_after: 1 };
  if (!selected || selected === 'Launcher')
    launch({ server: '', chatbot: demoProfile.uuid, settings }, async () => ({
      openPanel: (root, options) =>
        openPanel(root, { ...options, client: createScriptedClient(script), storage: pageStorage() }),
    }));
}

start();
