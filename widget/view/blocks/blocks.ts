import style from './style.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Gives the panel around an answer the style of code, tables, quotes and lists of tasks. */
export function styleBlocks(answer: Element): void {
  const root = answer.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
