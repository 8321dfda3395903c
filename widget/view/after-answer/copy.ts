import type { Turn } from '../../chat/turn.ts';
import type { Elements } from '../elements.ts';

/** The answer's Markdown, followed by a line for each source. */
function markdownOf({ text }: Turn, sources: Element[]): string {
  const lines = sources.map((source) => {
    const [link, host] = [source.querySelector('a')!, source.querySelector('.host')!];
    return `${markersOf(source)} ${link.textContent} – ${link.href || host.textContent}`;
  });
  return [text.peek(), '', ...lines].join('\n').trim();
}

const markersOf = (source: Element): string =>
  Array.from(source.querySelectorAll('.marker'), ({ textContent }) => `[${textContent}]`).join(' ');

/** The answer as it is shown, markers as text, followed by its sources; no attribute stays that could style or run anything. */
function htmlOf(create: Elements['create'], answer: Element, sources: Element[]): string {
  const text = answer.querySelector('.text')!.cloneNode(true) as Element;
  for (const extra of text.querySelectorAll('.card, .code > button')) extra.remove();
  for (const marker of text.querySelectorAll('.marker')) marker.replaceWith(`[${marker.textContent}]`);
  const boxes = answer.querySelectorAll<HTMLInputElement>('.text input');
  for (const [at, box] of text.querySelectorAll('input').entries()) box.replaceWith(boxes[at]!.checked ? '☑' : '☐');
  text.append(
    ...sources.map((source) => create('p', {}, `${markersOf(source)} `, source.querySelector('a')!.cloneNode(true))),
  );
  for (const element of [text, ...text.querySelectorAll('*')])
    for (const name of element.getAttributeNames())
      if (!/^(?:href|src|alt|start|dir)$/.test(name)) element.removeAttribute(name);
  return text.outerHTML;
}

/**
 * Copies the answer in `answer` with its sources, as Markdown and, where the browser can, as rich text too; resolves with whether
 * that worked, never rejects. `navigator.clipboard` is missing without HTTPS and refused in many frames: there `execCommand` copies,
 * for which a field with a selection stands after `nextTo` for that moment.
 */
export async function copyAnswer(
  { create, readDocument }: Elements,
  turn: Turn,
  answer: Element,
  nextTo: HTMLElement,
): Promise<boolean> {
  const sources = [...answer.querySelectorAll('.sources li')];
  const markdown = markdownOf(turn, sources);
  try {
    const { clipboard } = navigator;
    if (globalThis.ClipboardItem && clipboard.write)
      await clipboard.write([
        new ClipboardItem({ 'text/plain': markdown, 'text/html': htmlOf(create, answer, sources) }),
      ]);
    else await clipboard.writeText(markdown);
    return true;
  } catch {
    const field = create('textarea') as HTMLTextAreaElement;
    const onCopy = (event: ClipboardEvent): void => {
      event.clipboardData!.setData('text/plain', markdown);
      event.clipboardData!.setData('text/html', htmlOf(create, answer, sources));
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    field.value = markdown;
    nextTo.after(field);
    field.select();
    let isCopied = false;
    // First of all: a page may have such a listener, too.
    addEventListener('copy', onCopy, true);
    try {
      isCopied = readDocument('execCommand').call(document, 'copy');
    } catch {}
    removeEventListener('copy', onCopy, true);
    field.remove();
    nextTo.focus();
    return isCopied;
  }
}
