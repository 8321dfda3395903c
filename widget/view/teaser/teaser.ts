import type { Chat } from '../../chat/types.ts';
import type { Elements } from '../elements.ts';
import { teaserWords } from '../../words/teaser.ts';
import { watchPage, watchTriggers } from './triggers.ts';

const SVG = 'http://www.w3.org/2000/svg';

function createCross({ createElementNS }: Document): SVGElement {
  const [svg, path] = ['svg', 'path'].map((name) => createElementNS.call(document, SVG, name) as SVGElement);
  svg!.setAttribute('viewBox', '0 0 24 24');
  path!.setAttribute('d', 'M6 6l12 12M6 18L18 6');
  svg!.append(path!);
  return svg!;
}

/**
 * Shows a sentence beside the launcher, in `place`, once one of the owner's triggers holds: at most once a page, and once a visit
 * of a visitor who has acted on it or on the chat before; never after they closed either, nor before the consent that the owner
 * asks for. Nothing is stored until they act.
 */
export async function tease(place: HTMLElement, chat: Chat, { create, readDocument }: Elements): Promise<void> {
  const { isOpen, profile, storage, controller } = chat;
  const host = (place.getRootNode() as ShadowRoot).host as HTMLElement & { docent?: string };
  const key = `docent-teaser:${host.docent}`;
  /** A conversation alone may be one that the page began, by `Docent.ask`. */
  const hasActed = (): boolean => {
    const { acted, closed, agreed, draft, past } = storage.read();
    return [acted, closed, agreed, draft, past].some((one) => one !== undefined);
  };
  // Firefox 115 has no `userActivation`: there it is a press in the widget that counts.
  let isPressed = false;
  for (const event of ['pointerdown', 'keydown'])
    host.addEventListener(event, ({ isTrusted }) => (isPressed ||= isTrusted), controller);
  const isOver = (): boolean => controller.signal.aborted || isOpen.peek() !== undefined;
  isOpen.subscribe((is) => {
    if (is === true && (navigator.userActivation?.isActive ?? isPressed) && !hasActed()) storage.write({ acted: true });
  });
  // Resolves once there is consent, where it is asked for.
  if ((await chat.prepare()) !== true || isOver() || (hasActed() && isStored(key))) return;
  const { teaser, teaser_after = 5, triggers = [] } = profile.peek();
  const { session, past } = storage.read();
  watchTriggers(
    // Without a text a trigger must not end the watch for those that have one.
    (triggers[0] ? triggers : [{ seconds: teaser_after }]).filter(({ text = teaser }) => text),
    !!(session || past?.[0]),
    controller.signal,
    ({ text = teaser!, page }) => {
      if (isOver()) return;
      if (hasActed()) store(key);
      const words = { ...teaserWords, ...chat.words.peek() };
      const open = create('button', { type: 'button' }, text);
      const close = create('button', { class: 'quiet', type: 'button', title: words.closeTeaser });
      const { title, name, avatar } = profile.peek();
      const face = avatar
        ? create('img', { class: 'avatar', src: avatar, alt: '' })
        : create('span', { class: 'avatar', 'aria-hidden': 'true' }, [...(title || name || words.title)][0]!);
      const box = create('div', { class: 'teaser' }, face, open, close);
      box.style.cssText = 'display: flex; gap: 8px; align-items: start; max-width: 300px; padding: 8px';
      open.style.cssText = 'padding: 4px; margin: 0';
      close.style.margin = '0';
      close.append(createCross(Document.prototype));
      open.onclick = () => chat.open();
      close.onclick = chat.dismiss;
      place.append(box);
      if (page) watchPage(page, controller.signal, () => box.remove());
      isOpen.subscribe((is) => is === undefined || box.remove());
    },
    readDocument,
  );
}

/** This tab's alone. False where storage is blocked. */
function isStored(key: string): boolean {
  try {
    return !!sessionStorage.getItem(key);
  } catch {
    return false;
  }
}

function store(key: string): void {
  try {
    sessionStorage.setItem(key, '1');
  } catch {}
}
