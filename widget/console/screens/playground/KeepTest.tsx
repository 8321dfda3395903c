import { useEffect, useMemo } from 'preact/hooks';
import type { Trace } from '../../records.ts';
import { Icon } from '../../parts/Icon.tsx';
import { testFile, testFileName } from './test-file.ts';

interface KeepTestProps {
  chatbot: string;
  query: string;
  trace: Trace;
}

/** Downloads the question, with what holds of its answer now, as a file of `docent test`. */
export function KeepTest({ chatbot, query, trace }: KeepTestProps) {
  const address = useMemo(
    () => URL.createObjectURL(new Blob([testFile(chatbot, query, trace)], { type: 'application/yaml' })),
    [trace],
  );
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return (
    <a class="button" href={address} download={testFileName(query)}>
      <Icon name="check" />
      Keep as a test
    </a>
  );
}
