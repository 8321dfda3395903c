import { parser, parser_end, parser_write, default_renderer } from 'streaming-markdown';
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { render } from 'preact';
import { createDocument, drawDocument } from '../../../widget/markdown/index.ts';

/** What turns chunks into elements inside `place`. */
interface Way {
  write(chunk: string): void;
  end(): void;
}

const around = {
  marker: (key: string): string => `[${key}]`,
  words: { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' },
};

const ways: Record<string, (place: HTMLElement) => Way> = {
  docent(place) {
    const { root, write, end } = createDocument();
    const draw = (): void => render(drawDocument(root, around), place);
    return {
      write: (chunk) => (write(chunk), draw()),
      end: () => (end(), draw()),
    };
  },
  'marked + DOMPurify'(place) {
    let text = '';
    const draw = (): void => void (place.innerHTML = DOMPurify.sanitize(marked.parse(text, { async: false })));
    return { write: (chunk) => ((text += chunk), draw()), end: draw };
  },
  'streaming-markdown'(place) {
    const one = parser(default_renderer(place));
    return { write: (chunk) => parser_write(one, chunk), end: () => parser_end(one) };
  },
};

interface Measured {
  /** ms of the main thread for each chunk, of the chunks that were timed. */
  perChunk: number;
  /** All of the text, in ms; 0 where not all chunks were timed. */
  whole: number;
  /** What is shown at the end, without white space. */
  shown: string;
}

/**
 * Streams `text` by `size` and times the last `timed` chunks, or all of them; what comes before is written in long pieces.
 * Layout, where it is asked for, comes after each chunk.
 */
export function measure(name: string, text: string, size: number, timed: number, isLaidOut: boolean): Measured {
  const place = document.body.appendChild(document.createElement('div'));
  const way = ways[name]!(place);
  const start = Math.max(0, text.length - timed * size);
  for (let at = 0; at < start; at += 4096) way.write(text.slice(at, Math.min(start, at + 4096)));
  const before = performance.now();
  let count = 0;
  for (let at = start; at < text.length; at += size, count++) {
    way.write(text.slice(at, at + size));
    if (isLaidOut) place.getBoundingClientRect();
  }
  const took = performance.now() - before;
  way.end();
  place.remove();
  return { perChunk: took / count, whole: start ? 0 : took, shown: (place.textContent ?? '').replace(/\s+/g, '') };
}

Object.assign(globalThis, { measure });
