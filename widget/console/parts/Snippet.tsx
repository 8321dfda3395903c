import { useSignal } from '../signals.ts';
import { Button, Failed } from './controls.tsx';
import { useAction } from './use-action.ts';

interface SnippetProps {
  code: string;
  /** On the button. */
  label?: string;
}

/** Code to paste elsewhere, with a button that copies it. */
export function Snippet({ code, label = 'Copy the snippet' }: SnippetProps) {
  const copied = useSignal('');
  const { failure, run } = useAction();
  const copy = async (): Promise<void> => {
    const isCopied = await run(() =>
      navigator.clipboard.writeText(code).catch(() => {
        throw new Error('This browser does not let the page copy: select the text and copy it.');
      }),
    );
    copied.value = isCopied ? code : '';
  };
  const isCopied = copied.value === code;
  return (
    <>
      <pre class="snippet" tabIndex={0}>
        <code>{code}</code>
      </pre>
      <Button icon={isCopied ? 'check' : 'snippet'} onClick={() => void copy()}>
        {isCopied ? 'Copied' : label}
      </Button>
      <Failed failure={failure} />
    </>
  );
}
