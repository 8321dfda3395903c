import type { ButtonHTMLAttributes, VNode } from 'preact';

/** Shapes on a field of 24 by 24, drawn as lines. */
export const CLOSE = 'M6 6l12 12M18 6L6 18';
export const ANEW = 'M12 5v14M5 12h14';
export const ARROW = 'M12 19V5M6 11l6-6 6 6';
export const RETRY = 'M20 4v6h-6m6 0a8 8 0 1 0 0 4';
export const STOP = 'M7 7h10v10H7z';
export const COPY = 'M8 8h12v12H8zM4 16V4h12';
export const THUMB = 'M7 20v-9l4-8q3 0 2 7h6l-2 10H4v-9h3';

interface IconProps {
  d: string;
  /** With the clock, as an angle of CSS. */
  turn?: string | undefined;
}

export const Icon = ({ d, turn }: IconProps): VNode => (
  <svg viewBox="0 0 24 24" style={{ rotate: turn }} aria-hidden="true">
    <path d={d} />
  </svg>
);

type ButtonProps = IconProps & { label: string } & ButtonHTMLAttributes;

/** Named by its tooltip. */
export const IconButton = ({ d, turn, label, ...own }: ButtonProps): VNode => (
  <button class="quiet" type="button" title={label} {...own}>
    <Icon d={d} turn={turn} />
  </button>
);
