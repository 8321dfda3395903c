import style from './style.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Gives the panel around an answer the style of code, tables, quotes and lists of tasks, unless it has it or is gone. */
export function styleBlocks(answer: Element): void {
  const { adoptedStyleSheets } = answer.getRootNode() as Partial<ShadowRoot>;
  if (adoptedStyleSheets?.includes(sheet) === false) adoptedStyleSheets.push(sheet);
}
