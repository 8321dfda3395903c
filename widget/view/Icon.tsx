import type { ButtonHTMLAttributes, VNode } from 'preact';

/** SVG paths in a 24×24 view box, stroked. Rotated by `turn`: a plus is a cross. */
export const PLUS = 'M12 4v16M4 12h16';
export const LIST = 'M5 6h14M5 12h14M5 18h9';
export const ARROW = 'M12 19V5M6 11l6-6 6 6';
export const STOP = 'M7 7h10v10H7z';

interface IconProps {
  d: string;
  /** Clockwise rotation, a CSS angle. */
  turn?: string | undefined;
}

type ButtonProps = IconProps & ButtonHTMLAttributes;

export const Icon = ({ d, turn }: IconProps): VNode => (
  <svg viewBox="0 0 24 24" style={{ rotate: turn }} aria-hidden="true">
    <path d={d} />
  </svg>
);

/** A button whose accessible name is its title. */
export const IconButton = ({ d, turn, ...attributes }: ButtonProps): VNode => (
  <button class="quiet" type="button" {...attributes}>
    <Icon d={d} turn={turn} />
  </button>
);
