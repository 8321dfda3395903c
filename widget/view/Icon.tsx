import type { VNode } from 'preact';

const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M12 5v14M6 13l6 6 6-6',
  send: 'M12 19V5M6 11l6-6 6 6',
  anew: 'M12 20h8.500M16 4.500l3.500 3.500L8.500 19l-4.500 1 1-4.500z',
  retry: 'M20 5v5h-5M19.300 10A8 8 0 1 0 20 13.500',
  out: 'M8 16L17 7M9.500 7H17v7.500',
  stop: 'M8 8h8v8H8z',
};

export function Icon({ name }: { name: keyof typeof PATHS }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface IconButtonProps {
  icon: keyof typeof PATHS;
  /** Its name, and its tooltip. */
  label: string;
  look?: string;
  onClick: () => void;
}

export function IconButton({ icon, label, look = 'quiet', onClick }: IconButtonProps): VNode {
  return (
    <button class={look} type="button" title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface ActionProps {
  label: string;
  isEarly?: boolean;
  onClick: () => void;
}

/** Once more. */
export function Retry({ label, isEarly, onClick }: ActionProps): VNode {
  return (
    <button class="action" type="button" disabled={isEarly} onClick={onClick}>
      <Icon name="retry" />
      {label}
    </button>
  );
}
