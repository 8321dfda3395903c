import style from './launcher-look.css?inline';

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

/** Gives a launcher the style of labels and of icons: one by its name, or a picture by its address. */
export function styleLauncher(button: HTMLElement, icon: string): void {
  const { adoptedStyleSheets } = button.getRootNode() as ShadowRoot;
  button.style.setProperty('--image', `url(${JSON.stringify(icon)})`);
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
