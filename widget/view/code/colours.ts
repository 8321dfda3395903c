import type { Elements } from '../elements.ts';
import { tokensOf, type TokenKind } from './tokens.ts';
import style from './style.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** UTF-16 units of code: more is not coloured. */
const MAX_LENGTH = 50_000;

/**
 * Colours the code blocks in `answer` by highlights, which change no node: the text is Preact's. Browsers without the CSS Custom
 * Highlight API show it in the colour of the text.
 */
export function colourCode(answer: Element, { readDocument }: Elements): void {
  const root = answer.getRootNode() as ShadowRoot;
  // The panel may have been closed while this file was loaded.
  if (!answer.isConnected) return;
  // In forced colours a highlight has the ground of a selection, whatever its style.
  if (!('highlights' in CSS) || matchMedia('(forced-colors: active)').matches) return;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  (['comment', 'string', 'number', 'keyword'] as const).forEach(registerColour);
  for (const [name, highlight] of CSS.highlights)
    if (name.startsWith('docent-'))
      for (const range of highlight) if (!range.startContainer.isConnected) highlight.delete(range);
  for (const code of answer.querySelectorAll('pre > code')) {
    const text = code.textContent;
    const name = code.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
    if (text.length > MAX_LENGTH) continue;
    const walker = readDocument('createTreeWalker').call(document, code, NodeFilter.SHOW_TEXT);
    const place = placesOf(walker);
    for (const { kind, start, end } of tokensOf(text, name)) {
      const range = new Range();
      range.setStart(...place(start));
      range.setEnd(...place(end));
      highlightOf(kind).add(range);
    }
  }
}

/** A highlight has no colour scheme: its colour has to be computed on the block of code, which a registered property is. */
function registerColour(kind: TokenKind): void {
  try {
    CSS.registerProperty({ name: `--docent-${kind}`, syntax: '<color>', inherits: true, initialValue: '#888' });
  } catch {
    // It is registered already.
  }
}

function highlightOf(kind: TokenKind): Highlight {
  const name = `docent-${kind}`;
  const known = CSS.highlights.get(name);
  const highlight = known ?? new Highlight();
  if (!known) CSS.highlights.set(name, highlight);
  return highlight;
}

/** Finds the text node and the offset within it of offsets that grow. */
function placesOf(walker: TreeWalker): (offset: number) => [Node, number] {
  let node = walker.nextNode() as Text;
  let before = 0;
  return (offset) => {
    while (offset > before + node.length) {
      before += node.length;
      node = walker.nextNode() as Text;
    }
    return [node, offset - before];
  };
}
