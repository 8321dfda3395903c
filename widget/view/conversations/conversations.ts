import type { PastConversation } from '../../browser/storage.ts';
import { deleteConversation, listConversations, openConversation } from '../../chat/conversations.ts';
import type { Chat } from '../../chat/types.ts';
import type { Elements } from '../elements.ts';
import { conversationsWords } from '../../words/conversations.ts';
import style from './style.css?inline';
import { transcriptOf } from './transcript.ts';

const BACK = 'M14 6l-6 6 6 6';
const CROSS = 'M6 6l12 12M6 18L18 6';
const DOWN = 'M12 4v11m-5-5l5 5 5-5M5 20h14';
const BIN = 'M5 7h14M10 4h4M7 7l1 13h8l1-13';

/** How long the browser may take to read what is downloaded. */
const DOWNLOAD_MS = 60_000;

/**
 * Lists this visitor's conversations over the panel that `opener`, a button with an icon, is in, until one is opened, Escape or
 * "back" is pressed, or the chat closes.
 */
export function show(opener: HTMLElement, chat: Chat, { create, createButton }: Elements): void {
  const section = opener.closest('section');
  if (!section || chat.card.peek()) return;
  const words = { ...conversationsWords, ...chat.words.peek() };
  const lang = chat.locale.peek()!.lang;
  const status = create('p', { class: 'note', role: 'status' });
  const list = create('ul');
  const footer = create('div', { class: 'top' });
  const sheet = create('div', { class: 'conversations', role: 'dialog', 'aria-label': words.conversations });

  function createIconButton(path: string, title: string, onclick: () => void): HTMLElement {
    const svg = opener.firstElementChild!.cloneNode(true) as SVGElement;
    svg.firstElementChild!.setAttribute('d', path);
    const button = create('button', { class: 'quiet', type: 'button', title }, svg);
    button.onclick = onclick;
    return button;
  }

  function fill(): void {
    const all = listConversations(chat);
    list.replaceChildren(...all.map(createRow));
    const remove = createButton(words.removeAll, () => askFirst(footer, all));
    const anew = createButton(words.anew, () => {
      chat.setCard();
      chat.startOver();
    });
    footer.replaceChildren(anew, remove);
  }

  function createRow(one: PastConversation): HTMLElement {
    const at = new Date(one.at);
    const now = new Date();
    const isThisYear = at.getFullYear() === now.getFullYear();
    const date =
      at.toDateString() === now.toDateString()
        ? at.toLocaleTimeString(lang, { timeStyle: 'short' })
        : at.toLocaleDateString(lang, { month: 'short', day: 'numeric', year: isThisYear ? undefined : 'numeric' });
    const title = one.title ?? words.conversation;
    const open = create(
      'button',
      { type: 'button' },
      create('span', { dir: 'auto' }, title),
      create('small', {}, date),
    );
    const row = create('li', { 'aria-label': title }, open);
    open.onclick = () => {
      chat.setCard();
      openConversation(chat, one);
    };
    if (one.session === chat.storage.read().session) open.setAttribute('aria-current', 'true');
    row.append(
      createIconButton(DOWN, words.download, () => void download(one)),
      createIconButton(BIN, words.remove, () => askFirst(row, [one])),
    );
    return row;
  }

  /** Has the visitor confirm the deletion in place of what stands in `place`. */
  function askFirst(place: HTMLElement, those: PastConversation[]): void {
    const cancel = createButton(words.cancel, () => {
      fill();
      close.focus();
    });
    const isRow = place !== footer;
    const remove = createButton(isRow ? words.remove : words.removeAll, () => void removeAll(those));
    const what = isRow ? [create('small', {}, those[0]!.title ?? words.conversation)] : [];
    place.replaceChildren(create('span', {}, words.sure, ...what), remove, cancel);
    cancel.focus();
  }

  async function removeAll(those: PastConversation[]): Promise<void> {
    status.textContent = '';
    // Read now: the list may be closed meanwhile.
    const { docent } = (section!.getRootNode() as ShadowRoot).host as Element & { docent?: string };
    const removed = await Promise.all(those.map(({ session }) => deleteConversation(chat, session)));
    try {
      // What was filled in of a form (view/parts).
      sessionStorage.removeItem(`docent-form:${docent}`);
    } catch {}
    if (removed.includes(false)) status.textContent = words.unremoved;
    if (!listConversations(chat)[0]) return chat.setCard();
    fill();
    close.focus();
  }

  async function download({ session }: PastConversation): Promise<void> {
    try {
      const text = transcriptOf(await chat.client.messages(session), words, lang);
      const href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
      create('a', { href, download: `${words.conversation}.txt` }).click();
      setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
    } catch (fault) {
      status.textContent = words.failed;
      chat.report(fault);
    }
  }

  const close = createIconButton(BACK, words.back, () => chat.setCard());
  const header = create('header', {}, close, create('h2', {}, words.conversations));
  // Inline there is nothing to close.
  if (section.getAttribute('role') === 'dialog') header.append(createIconButton(CROSS, words.close, chat.close));
  sheet.append(header, list, status, footer);
  fill();
  cover(sheet, section, chat, opener);
  close.focus();
}

/** Lays `sheet` over the panel for as long as it is the chat's open card; then the focus returns to `opener`. */
function cover(sheet: HTMLElement, section: HTMLElement, chat: Chat, opener: HTMLElement): void {
  const root = section.getRootNode() as ShadowRoot;
  const rules = new CSSStyleSheet();
  const under = [...section.children] as HTMLElement[];
  const setInert = (inert: boolean): void => under.forEach((one) => (one.inert = inert));
  rules.replaceSync(style);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, rules];
  section.append(sheet);
  setInert(true);
  chat.setCard(sheet);
  const ends = [
    chat.isOpen.subscribe((isOpen) => isOpen || chat.setCard()),
    chat.card.subscribe((card) => {
      if (card === sheet) return;
      queueMicrotask(() => ends.forEach((end) => end()));
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== rules);
      sheet.remove();
      setInert(false);
      // The launcher has the focus where the chat was closed.
      if (chat.isOpen.peek()) opener.focus();
      // It is gone where no conversation is left.
      setTimeout(() => section.isConnected && (root.activeElement ?? section.querySelector('textarea')?.focus()));
    }),
  ];
}
