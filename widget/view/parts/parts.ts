import type { Form, LinkCards, Part, QuickReplies } from '../../../server/types.ts';
import type { Turn } from '../../chat/turn.ts';
import type { Chat } from '../../chat/types.ts';
import { partsWords } from '../../words/parts.ts';
import type { Elements, Part as Show } from '../elements.ts';
import style from './style.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Storage key of a chat's form, by the host of its widget; also in view/conversations, which deletes it. */
const formKey = (host: Element & { docent?: string }): string => `docent-form:${host.docent}`;

type Reply = QuickReplies['replies'][number];

const MAX_PAGES = 3;

/** Schemes of links, as in answers. */
const SAFE = /^(?:https?:\/\/|mailto:)/i;

/**
 * Shows the typed parts of an answer before `place`, and replies and follow-up questions after it; types that it does not know are
 * left out. Those of a failed answer stand in `place`, which goes when it is asked again.
 */
export const show: Show = (place, chat, turn, { create, createButton }) => {
  // It was asked again while this file was loaded.
  if (!place.isConnected) return;
  const root = place.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const words = { ...partsWords, ...chat.words.peek() };
  const answer = place.parentElement!;
  const hasFailed = turn.status.peek().is !== 'done';
  const {
    follow_ups,
    outcome,
    parts = hasFailed ? (turn.failure?.parts ?? citedPages(chat, turn)) : [],
  } = turn.record ?? {};
  const drawn = parts.map((part) => {
    if (part.type === 'form') return createForm(part, chat, create, turn.message, formKey(root.host));
    return part.type === 'link_cards' ? createLinks(part, chat, create) : '';
  });
  const questions = [
    ...parts.filter((part) => part.type === 'quick_replies').map(({ replies }) => ({ replies, name: 'replies' })),
    ...(follow_ups ? [{ replies: follow_ups.map((label): Reply => ({ label })), name: 'replies next' }] : []),
  ].map(({ replies, name }) => createReplies(name, replies, chat, create, createButton));
  for (const other of answer.querySelectorAll(':scope > .parts')) other.remove();
  const isForm = parts.some(({ type }) => type === 'form');
  const all = create('div', { class: isForm ? 'parts asks' : 'parts' }, ...drawn);
  if (hasFailed) {
    if (all.querySelector('li')) all.prepend(create('p', { class: 'note' }, words.nearest));
    return place.replaceChildren(all);
  }
  answer.classList.toggle('possible', outcome === 'unsure');
  if (outcome && outcome !== 'answered') all.append(createContact(chat, create));
  place.before(all);
  place.after(create('div', { class: 'parts' }, ...questions));
};

/** The owner's contact as a button; empty where there is none. */
function createContact(chat: Chat, create: Elements['create']): Node | string {
  const { contact = '' } = chat.profile.peek();
  const href = contact.replace(/^[\w.+-]+@[\w.-]+$/, 'mailto:$&');
  if (!SAFE.test(href)) return '';
  const link = create('a', { class: 'contact', href, target: '_blank', rel: 'noopener' }, chat.words.peek().contact);
  return create('p', {}, link);
}

/** What stands below a failed answer without parts: the pages cited last before it. */
function citedPages({ turns }: Chat, failed: Turn): Part[] {
  const before = turns.peek().slice(0, turns.peek().indexOf(failed) + 1);
  const pages = new Map<string, { title: string; url: string }>();
  for (const { title, file_name } of before.flatMap(({ citations }) => Object.values(citations.peek()))) {
    const url = file_name.replace(/#.*/, '');
    pages.delete(url);
    if (SAFE.test(url)) pages.set(url, { title: title || url, url });
  }
  return pages.size > 0 ? [{ type: 'link_cards', cards: [...pages.values()].slice(-MAX_PAGES) }] : [];
}

function createReplies(
  name: string,
  replies: Reply[],
  chat: Chat,
  create: Elements['create'],
  createButton: Elements['createButton'],
): HTMLElement {
  const buttons = replies.map(({ label, query = label }) => {
    const button = createButton(label, () => chat.ask(query));
    button.dir = 'auto';
    return button;
  });
  return create('div', { class: name, role: 'group', 'aria-label': chat.words.peek().suggestions }, ...buttons);
}

function createLinks({ cards }: LinkCards, chat: Chat, create: Elements['create']): HTMLElement {
  const items = cards
    .filter(({ url }) => SAFE.test(url))
    .map((card) => {
      const target = chat.targetOf(card.url);
      const link = create(
        'a',
        { href: card.url, target, rel: 'noopener nofollow', dir: 'auto' },
        create('strong', {}, card.title),
        ...(card.text ? [create('span', {}, card.text)] : []),
      );
      if (target === '_blank') link.title = chat.words.peek().newTab;
      return create('li', {}, link);
    });
  return create('ul', { class: 'links' }, ...items);
}

/** The form that is being filled in, in this tab's storage: it is the same after a reload. */
interface FilledForm {
  id: string;
  values: string[];
}

function readForm(key: string, id: string): string[] {
  try {
    const filled = JSON.parse(sessionStorage.getItem(key)!) as FilledForm | null;
    return filled?.id === id ? filled.values : [];
  } catch {
    return [];
  }
}

function writeForm(key: string, filled?: FilledForm): void {
  try {
    if (filled) sessionStorage.setItem(key, JSON.stringify(filled));
    else sessionStorage.removeItem(key);
  } catch {}
}

function createForm(
  { title, fields, submit }: Form,
  chat: Chat,
  create: Elements['create'],
  message: string | undefined,
  key: string,
): HTMLElement {
  const id = `${message}:${fields.map(({ name }) => name).join()}`;
  const filled = readForm(key, id);
  const inputs = fields.map(({ kind, required }, at) => {
    const input = create(kind === 'long_text' ? 'textarea' : 'input', { maxlength: '1000' });
    if (kind === 'email') Object.assign(input, { type: 'email', autocomplete: 'email' });
    return Object.assign(input as HTMLInputElement, { required: !!required, value: filled[at] ?? '' });
  });
  const labels = fields.map(({ label, required }, at) =>
    create('label', { dir: 'auto' }, required ? `${label} *` : label, inputs[at]!),
  );
  const form = create(
    'form',
    title ? { 'aria-label': title } : {},
    ...(title ? [create('strong', { dir: 'auto' }, title)] : []),
    ...labels,
    create('button', { class: 'chip', type: 'submit' }, submit),
  );
  form.oninput = () => writeForm(key, { id, values: inputs.map(({ value }) => value) });
  form.onsubmit = (event) => {
    event.preventDefault();
    const values = fields.map(({ name }, at) => [name, inputs[at]!.value.trim()]).filter(([, value]) => value);
    writeForm(key);
    chat.ask(submit, undefined, Object.fromEntries(values) as Record<string, string>);
  };
  return form;
}
