import type { Elements } from '../elements.ts';

/**
 * A button whose accessible name is its title. `path`: in a 24×24 view box, stroked; `rotate`: a CSS angle. Its icon is a copy of the
 * first one in the panel around `place`, a header's, with this path.
 */
export function createIconButton(
  { create }: Elements,
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
