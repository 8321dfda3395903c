import type { ButtonHTMLAttributes, VNode } from 'preact';

/** SVG paths in a 24×24 view box, stroked. Rotated by `turn`: a plus is a cross, a thumb points down. */
export const PLUS = 'M12 4v16M4 12h16';
export const ARROW = 'M12 19V5M6 11l6-6 6 6';
export const RETRY = 'M20 4v6h-6m6 0a8 8 0 1 0 0 4';
export const STOP = 'M7 7h10v10H7z';
export const COPY = 'M8 8h12v12H8zM4 16V4h12';
export const THUMB = 'M7 20v-9l4-8q3 0 2 7h6l-2 10H4v-9h3';

interface IconProps {
  d: string;
  /** Clockwise rotation, a CSS angle. */
  turn?: string | undefined;
}

type ButtonProps = IconProps & ButtonHTMLAttributes;

/** A button whose accessible name is its title. */
export const IconButton = ({ d, turn, ...attributes }: ButtonProps): VNode => (
  <button class="quiet" type="button" {...attributes}>
    <svg viewBox="0 0 24 24" style={{ rotate: turn }} aria-hidden="true">
      <path d={d} />
    </svg>
  </button>
);
