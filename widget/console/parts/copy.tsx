import { useEffect, useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { useSignal } from '../signals.ts';
import { Button, Failed } from './controls.tsx';
import { useAction } from './use-action.ts';

interface CopyProps {
  text: string;
  /** On the button. */
  label: string;
}

/** A button that copies a text, and says so. */
function Copy({ text, label }: CopyProps) {
  const copied = useSignal('');
  const { failure, run } = useAction();
  const copy = (): Promise<boolean> =>
    run(async () => {
      try {
        // Over plain HTTP there is no clipboard.
        await navigator.clipboard.writeText(text);
      } catch {
        throw new Error('This browser does not let the page copy: select the text and copy it.');
      }
      copied.value = text;
    });
  const isCopied = copied.value === text;
  return (
    <>
      <Button icon={isCopied ? 'check' : 'snippet'} onClick={() => void copy()}>
        {isCopied ? 'Copied' : label}
      </Button>
      <Failed failure={failure} />
    </>
  );
}

/** Code to paste elsewhere, with a button that copies it. */
export const Snippet = ({ code, label = 'Copy the snippet' }: { code: string; label?: string }) => (
  <>
    <pre class="snippet" tabIndex={0}>
      <code>{code}</code>
    </pre>
    <Copy text={code} label={label} />
  </>
);

/** A text that is shown this once, with a button that copies it. It has the focus, selected. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [text]);
  return (
    <div class="copy">
      <label>
        <span class="hidden">{label}</span>
        <input ref={field} readOnly value={text} />
      </label>
      <Copy text={text} label="Copy" />
    </div>
  );
}

/** What is shown once, such as a new key: gone with the sign-in, whose screens stay out of sight in the page. */
export function useShownOnce<T>(): [shown: T | undefined, show: (one: T | undefined) => void] {
  const shown = useSignal<T | undefined>(undefined);
  const isIn = Boolean(account.value);
  useEffect(() => {
    if (!isIn) shown.value = undefined;
  }, [isIn]);
  return [isIn ? shown.value : undefined, (one) => void (shown.value = one)];
}
