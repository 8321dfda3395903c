import type { Chat } from '../chat/types.ts';
import type { StoredChat } from './storage.ts';
import { presenceWords } from '../words/presence.ts';
import type { fullScreen } from './full-screen.ts';
import type { readDocument } from './read-document.ts';
import style from './presence.css?inline';

/** Before the page's title while an answer is unread. */
const MARK = '(1) ';

/** As long as browsers let a press count. */
const ACTING_MS = 5000;

/** Handed over, so that this file needs no other. */
interface PageReaders {
  fullScreen: typeof fullScreen;
  readDocument: typeof readDocument;
}

const setPageTitle = (title: string): unknown => Reflect.set(Document.prototype, 'title', title, document);

/**
 * Keeps a panel that the visitor has opened open on the next pages of this tab, until they close it. Marks the launcher and the
 * page's title from the end of an answer that nobody saw, the panel closed or the tab hidden, until it is seen; plays a sound then
 * where the owner wants one. Returns what ends it.
 */
export function watch(
  host: HTMLElement,
  button: HTMLButtonElement,
  chat: Chat,
  { fullScreen, readDocument }: PageReaders,
): () => void {
  const { storage, isOpen, isBusy } = chat;
  const isSeen = (): boolean => !!isOpen.peek() && !readDocument('hidden');
  const suffix = (): string => ` (${{ ...presenceWords, ...chat.words.peek() }.unread})`;
  /** The page's title with our mark, while it has one. */
  let marked: string | undefined;
  /** When the visitor last pressed a pointer or a key in the widget. */
  let pressedAt = -Infinity;
  /** Whether the visitor acts, not the page. Firefox 115 has no `userActivation`. */
  const isActing = (): boolean => navigator.userActivation?.isActive ?? performance.now() - pressedAt < ACTING_MS;
  // Single-page applications replace the title, some of them the element; the launcher's follows language and settings.
  const titles = new MutationObserver(() => markTitles());

  // So do they change the language of the page, from which the texts follow.
  const languages = new MutationObserver(() => {
    chat.profile.value = { ...chat.profile.peek() };
  });

  function markTitles(): void {
    const title = readDocument('title');
    // One mark is enough: two widgets that each added theirs to the other's would never end.
    if (!title.startsWith(MARK)) setPageTitle((marked = MARK + title));
    if (!button.title.endsWith(suffix())) button.title += suffix();
    titles.observe(button, { attributeFilter: ['title'] });
    // A head that is replaced is another one.
    titles.observe(readDocument('documentElement'), { childList: true });
    const head = readDocument('head') as Node | null;
    if (head) titles.observe(head, { subtree: true, childList: true, characterData: true });
  }
  function mark(): void {
    storage.write({ unread: 'ended' });
    button.dataset['unread'] = '';
    markTitles();
  }
  function clear(): void {
    titles.disconnect();
    delete button.dataset['unread'];
    button.title = button.title.replace(suffix(), '');
    if (readDocument('title') === marked) setPageTitle(marked.slice(MARK.length));
    marked = undefined;
  }
  /** Writes nothing where nothing is stored: the visitor may never have acted. */
  function forget(unread: StoredChat['unread']): void {
    if (storage.read().unread === unread) storage.write({ unread: undefined });
  }
  function see(): void {
    clear();
    forget('ended');
  }
  async function play(): Promise<void> {
    // A page that the visitor has not touched may not play anything, and browsers warn of it.
    if (!navigator.userActivation?.hasBeenActive || (await chat.prepare()) !== true || !chat.profile.peek().sound)
      return;
    (await import('./sound.ts')).playSound();
  }
  function end(): void {
    if (isSeen()) return forget('waiting');
    mark();
    play().catch(chat.report);
  }
  const opened = (): void => {
    // By the visitor, not by the page: nothing is stored before they act.
    if (isOpen.peek() === true && isActing()) storage.write({ open: true });
    if (isSeen()) see();
  };
  const asked = (): void => {
    storage.write({ unread: 'waiting' });
    if (!isActing()) return;
    // It stays with them, also where the page had opened it.
    storage.write({ open: true });
    storage.write({ acted: true });
  };
  const press = ({ isTrusted }: Event): void => {
    if (isTrusted) pressedAt = performance.now();
  };
  /** Opens or closes the panel as this tab left it on another page. */
  const follow = (): void => {
    const { open, closed } = storage.read();
    if (!open && closed && isOpen.peek()) isOpen.value = false;
    else if (open && !fullScreen().matches) chat.open('quietly');
  };

  host.shadowRoot!.adoptedStyleSheets[0]!.insertRule(style);
  const { open, unread } = storage.read();
  if (open) follow();
  else if (isOpen.peek()) opened();
  if (isBusy.peek()) storage.write({ unread: 'waiting' });
  else if (unread === 'ended' && !isSeen()) mark();
  // There is none where it could not be loaded.
  else if (unread) void chat.restore().then(() => isBusy.peek() || !chat.turns.peek()[0] || end());

  const listeners: Record<string, () => unknown> = {
    open: opened,
    close: () => storage.write({ open: undefined }),
    ask: asked,
    answer: end,
    error: () => forget('waiting'),
    'rate-limit': () => forget('waiting'),
  };
  languages.observe(readDocument('documentElement'), { attributeFilter: ['lang'] });
  const controller = new AbortController();
  for (const [event, listener] of Object.entries(listeners)) host.addEventListener(event, listener, controller);
  for (const event of ['pointerdown', 'keydown'])
    host.addEventListener(event, press, { signal: controller.signal, capture: true });
  addEventListener('visibilitychange', () => isSeen() && see(), controller);
  addEventListener('pageshow', ({ persisted }) => persisted && follow(), controller);
  return () => {
    controller.abort();
    languages.disconnect();
    clear();
  };
}
