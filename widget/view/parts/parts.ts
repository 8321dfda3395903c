import type { Form, LinkCards, Part, QuickReplies } from '../../../server/types.ts';
import type { Chat } from '../../chat/types.ts';
import type { Elements, Part as Show } from '../elements.ts';
import style from './style.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Storage key of a chat's form, by the host of its widget; also in view/conversations, which deletes it. */
const formKey = (host: Element & { docent?: string }): string => `docent-form:${host.docent}`;

const MAX_PAGES = 3;

/** Schemes of links, as in answers. */
const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** Shows the typed parts of an answer before `place`, and follow-up questions as replies; types that it does not know are left out. */
export const show: Show = (place, chat, turn, { create, createButton }) => {
  const root = place.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const { follow_ups } = turn.record ?? {};
  const parts = turn.record?.parts ?? turn.failure?.parts ?? citedPages(chat);
  const followUps: Part[] = follow_ups
    ? [{ type: 'quick_replies', replies: follow_ups.map((label) => ({ label })) }]
    : [];
  const shown = [...parts, ...followUps].map((part) => {
    if (part.type === 'quick_replies') return createReplies(part, chat, create, createButton);
    if (part.type === 'form') return createForm(part, chat, create, turn.message, formKey(root.host));
    return part.type === 'link_cards' ? createLinks(part, chat, create) : '';
  });
  for (const other of place.parentElement!.querySelectorAll(':scope > .parts')) other.remove();
  const all = create('div', { class: 'parts' }, ...shown);
  // Below a failed answer they go with its place, when it is asked again.
  if (turn.status.peek().is === 'done') place.before(all);
  else place.append(all);
};

/** What stands below a failed answer without parts: the pages cited last in the conversation. */
function citedPages(chat: Chat): Part[] {
  const cited = chat.turns.peek().flatMap((turn) => Object.values(turn.citations.peek()));
  const cards = cited.map(({ title, file_name }) => ({ title: title || file_name, url: file_name.replace(/#.*/, '') }));
  const pages = new Map(cards.filter(({ url }) => SAFE.test(url)).map((card) => [card.url, card]));
  return [{ type: 'link_cards', cards: [...pages.values()].slice(-MAX_PAGES) }];
}

function createReplies(
  { replies }: QuickReplies,
  chat: Chat,
  create: Elements['create'],
  createButton: Elements['createButton'],
): HTMLElement {
  const buttons = replies.map(({ label, query = label }) => createButton(label, () => chat.ask(query)));
  return create('div', { class: 'replies', role: 'group', 'aria-label': chat.words.peek().suggestions }, ...buttons);
}

function createLinks({ cards }: LinkCards, chat: Chat, create: Elements['create']): HTMLElement {
  const title = chat.words.peek().newTab;
  const items = cards
    .filter(({ url }) => SAFE.test(url))
    .map((card) => {
      const link = create(
        'a',
        { href: card.url, target: '_blank', rel: 'noopener nofollow', title },
        create('strong', { dir: 'auto' }, card.title),
        ...(card.text ? [create('span', { dir: 'auto' }, card.text)] : []),
      );
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
    chat.ask(submit);
    // Its request is sent later, at the earliest in a microtask.
    chat.turns.peek().at(-1)!.variables = Object.fromEntries(values) as Record<string, string>;
  };
  return form;
}
