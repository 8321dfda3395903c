import { linkCitation } from './citations.ts';
import type { Turn } from '../chat/turn.ts';

/** The answer as it was written, Markdown, and under it a line for each source. */
export function textWithSources({ text, citations }: Turn): string {
  const lines = Object.entries(citations.peek()).map(([marker, citation]) => {
    const { title, host, href = host } = linkCitation(citation);
    return `[${marker}] ${title} – ${href}`;
  });
  return [text.peek(), '', ...lines].join('\n').trim();
}

/** Whether it is on the clipboard now. A page without HTTPS, or in a frame, has only the older way, which needs a field `beside`. */
export async function copyText(text: string, nextTo: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    nextTo.after(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    nextTo.focus();
    return isCopied;
  }
}
