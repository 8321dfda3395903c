import { quoteAddress, titleOf } from './citations.ts';
import type { Turn } from './turn.ts';
import type { PanelWords } from './words/en.ts';

/** The answer as it was written, Markdown, and under it a line for each source. */
export function withSources({ text, citations }: Turn, words: PanelWords): string {
  const lines = Object.entries(citations.peek()).map(
    ([marker, one]) => `[${marker}] ${[titleOf(one), quoteAddress(one)].filter(Boolean).join(' – ')}`,
  );
  return [text.peek().trim(), lines[0] && `${words.sources}\n${lines.join('\n')}`].filter(Boolean).join('\n\n');
}

/** Whether it is on the clipboard now. A page without HTTPS, or in a frame, has only the older way, which needs a field `beside`. */
export async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text, beside);
  }
}

function copyByField(text: string, beside: HTMLElement): boolean {
  const field = document.createElement('textarea');
  const focused = (beside.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
  field.className = 'unseen';
  field.value = text;
  beside.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    focused?.focus();
  }
}
