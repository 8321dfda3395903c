import type { Chat } from '../../chat/types.ts';
import type { Elements } from '../elements.ts';

/** What is read is a line for each block, without citation markers, their cards and buttons. */
function spokenText(node: Node): string {
  // In upper case, but in an XHTML page.
  const { nodeName, nodeValue, childNodes } = node;
  if (nodeValue !== null) return nodeValue.replace(/\s+/g, ' ');
  if (/sup|button/i.test(nodeName)) return '';
  const inside = Array.from(childNodes, spokenText).join('');
  return (
    ((node as HTMLImageElement).alt ?? inside) +
    (/^(?:a|code|em|strong|s|img)$/i.test(nodeName) ? '' : /^t[dh]$/i.test(nodeName) ? ' ' : '\n')
  );
}

/**
 * Fills the panel's live region until `signal` is aborted: with an answer's start and, as it is drawn, its finished text, not each
 * piece. A paragraph per sentence, so that a listener can move from one to the next.
 */
export function announce(panel: Element, chat: Chat, { create }: Elements, signal: AbortSignal): void {
  const { latest, turns, words } = chat;
  const before = latest.peek()?.status.peek();
  const region = panel.querySelector('.unseen')!;
  let said = '';
  let unwatch: (() => void) | undefined;

  function update(): void {
    const turn = latest.peek();
    const status = turn?.status.peek();
    const answer = turn && panel.querySelectorAll('.answer')[turns.peek().indexOf(turn)];
    // What had ended when the panel was opened is no news.
    if (signal.aborted || (status === before && /^[dlf]/.test(before?.is ?? ''))) return;
    const text =
      answer && status!.is === 'done'
        ? `${words.peek().answer}: ${spokenText(answer.firstChild!).replace(/\s+(?=[.,;:!?])/g, '')}`
        : '';
    const all = `${text}\n${answer?.querySelector('.note > p')?.textContent ?? ''}`;
    if (all === said) return;
    said = all;
    const sentences = all.split(/(?<=[.!?…]\s|[。！？\n])/).filter((one) => one.trim());
    region.replaceChildren(...sentences.map((sentence) => create('p', {}, sentence.trim())));
  }

  const end = latest.subscribe((turn) => {
    unwatch?.();
    // After it is drawn.
    unwatch = turn?.status.subscribe(() => setTimeout(update));
    // A new conversation leaves nothing of the one before to be found.
    if (!turn) region.replaceChildren();
  });
  signal.addEventListener('abort', () => {
    end();
    unwatch?.();
  });
}
