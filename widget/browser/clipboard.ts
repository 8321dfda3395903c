import { linkCitation } from './citations.ts';
import type { Turn } from '../chat/turn.ts';

/** The answer's Markdown, followed by a line for each source. */
export function textWithSources({ text, citations }: Turn): string {
  const lines = Object.entries(citations.peek()).map(([marker, citation]) => {
    const { title, host, href = host } = linkCitation(citation);
    return `[${marker}] ${title} – ${href}`;
  });
  return [text.peek(), '', ...lines].join('\n').trim();
}

/**
 * Resolves with whether the text is on the clipboard; never rejects. `navigator.clipboard` is missing without HTTPS and refused in
 * many frames: there `execCommand` copies from a field, which stands after `nextTo` for that moment.
 */
export async function copyText(text: string, nextTo: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    nextTo.after(field);
    field.select();
    let isCopied = false;
    try {
      isCopied = document.execCommand('copy');
    } catch {}
    field.remove();
    nextTo.focus();
    return isCopied;
  }
}
