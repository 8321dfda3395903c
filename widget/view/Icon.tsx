import type { VNode } from 'preact';

/** Shapes on a field of 24 by 24, drawn as lines. */
export const CLOSE = 'M6 6l12 12M18 6L6 18';
export const DOWN = 'M12 5v14M6 13l6 6 6-6';
export const SEND = 'M12 19V5M6 11l6-6 6 6';
export const ANEW = 'M12 20h8.5M16 4.5l3.5 3.5L8.5 19l-4.5 1 1-4.5z';
export const RETRY = 'M20 5v5h-5M19.3 10A8 8 0 1 0 20 13.5';
export const OUT = 'M8 16L17 7M9.5 7H17v7.5';
export const STOP = 'M8 8h8v8H8z';
export const COPY = 'M9 9h11v11H9zM5 15H4V4h11v1';
export const UP_THUMB = 'M7 11v9H4v-9zl4-8c2 0 3 1 2 7h6l-2 10H7';
export const DOWN_THUMB = 'M7 13V4H4v9zl4 8c2 0 3-1 2-7h6L17 4H7';

export const Icon = ({ d }: { d: string }): VNode => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={d} />
  </svg>
);

interface ButtonProps {
  /** Its shape. */
  d: string;
  /** Its name. */
  label: string;
  look?: string;
  /** Of what is on or off. */
  isPressed?: boolean;
  onClick: () => void;
}

/** Named by its tooltip. */
export const IconButton = ({ d, label, look = 'quiet', isPressed, onClick }: ButtonProps): VNode => (
  <button class={look} type="button" title={label} aria-pressed={isPressed} onClick={onClick}>
    <Icon d={d} />
  </button>
);

/** Once more. */
export const Retry = ({ label, disabled, onClick }: Omit<ButtonProps, 'd'> & { disabled?: boolean }): VNode => (
  <button class="action" disabled={disabled} onClick={onClick}>
    <Icon d={RETRY} />
    {label}
  </button>
);
