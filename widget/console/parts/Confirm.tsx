import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '../signals.ts';
import { Button } from './controls.tsx';
import type { IconName } from './Icon.tsx';

interface ConfirmProps {
  /** On the button; its first word on the one that confirms. */
  label: string;
  question: string;
  icon?: IconName;
  isBusy: boolean;
  act: () => void;
}

/**
 * A button that asks once before it acts. The focus stays with it: on what keeps things as they are, then on the button again; on the
 * heading once it is gone with what it was for.
 */
export function Confirm({ label, question, icon = 'remove', isBusy, act }: ConfirmProps) {
  const isConfirming = useSignal<boolean | undefined>(undefined);
  const place = useRef<HTMLSpanElement>(null);
  // Before a key that was pressed meanwhile meets the new buttons.
  useLayoutEffect(() => {
    if (isConfirming.value !== undefined) place.current?.querySelector<HTMLElement>('button:last-of-type')?.focus();
  }, [isConfirming.value]);
  useLayoutEffect(() => () => focusHeadingFrom(place.current), []);
  return (
    <span ref={place} class="ask">
      {isConfirming.value ? (
        <>
          {question}
          <Button kind="danger" isBusy={isBusy} onClick={act}>
            {label.split(' ')[0]}
          </Button>
          <Button onClick={() => (isConfirming.value = false)}>Keep</Button>
        </>
      ) : (
        <Button icon={icon} onClick={() => (isConfirming.value = true)}>
          {label}
        </Button>
      )}
    </span>
  );
}

/** Where what goes has the focus: whoever is elsewhere by then stays there. */
export function focusHeadingFrom(gone: Element | null): void {
  if (gone?.contains(document.activeElement)) document.querySelector('h1')?.focus();
}
