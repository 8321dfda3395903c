/**
 * Creates elements by the prototype's methods, which a page's markup cannot hide (embed/document-member.ts). Strings become text
 * nodes.
 */
export function create(
  tag: string,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElement {
  return fill(Document.prototype.createElement.call(document, tag), attributes, children);
}

function fill<Kind extends Element>(
  element: Kind,
  attributes: Record<string, string>,
  children: (Node | string)[],
): Kind {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button with words on it. */
export function createButton(words: string, onclick: () => void): HTMLElement {
  const button = create('button', { class: 'chip', type: 'button' }, words);
  button.onclick = onclick;
  return button;
}

const createSvg = (tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement =>
  fill(
    Document.prototype.createElementNS.call(document, 'http://www.w3.org/2000/svg', tag) as SVGElement,
    attributes,
    children,
  );

/** A button whose accessible name is its title. `path`: in a 24×24 view box, stroked; `rotate`: a CSS angle. */
export function createIconButton(path: string, title: string, onclick: () => void, rotate = ''): HTMLElement {
  const svg = createSvg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, createSvg('path', { d: path }));
  svg.style.rotate = rotate;
  const button = create('button', { class: 'quiet', type: 'button', title }, svg);
  button.onclick = onclick;
  return button;
}
