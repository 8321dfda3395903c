/**
 * Creates an element by the prototype's method, which a page's markup cannot hide (embed/document-member.ts). Strings become text
 * nodes.
 */
export function create(
  tag: string,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElement {
  const element = Document.prototype.createElement.call(document, tag);
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

/**
 * A button whose accessible name is its title. `path`: in a 24×24 view box, stroked; `rotate`: a CSS angle. Its icon is a copy of the
 * first one in the panel around `place`, a header's, with this path.
 */
export function createIconButton(
  place: Element,
  path: string,
  title: string,
  onclick: () => void,
  rotate = '',
): HTMLElement {
  const svg = place.closest('section')!.querySelector('svg')!.cloneNode(true) as SVGElement;
  svg.style.rotate = rotate;
  svg.firstElementChild!.setAttribute('d', path);
  const button = create('button', { class: 'quiet', type: 'button', title }, svg);
  button.onclick = onclick;
  return button;
}
