import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useLeave } from '../leave.ts';

type Fields = Record<string, unknown>;

/** Those of `now` that differ from `before`. */
export const differing = (now: Fields, before: Fields): Fields =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );

interface Changes {
  form: RefObject<HTMLFormElement | null>;
  /** The fields that differ from how the form was filled: what somebody else changed meanwhile is not among them. */
  changes: () => Fields;
  all: () => Fields;
  /** Calls `send`. Once it succeeds, what stood there is no loss: the form may be filled anew only later. */
  save: (send: () => Promise<unknown>) => Promise<void>;
}

/** A form that asks before it is left with changes. `read` has its fields, as they are now or as they were filled in. */
export function useChanges(read: (data: FormData, isNow: boolean) => Fields): Changes {
  const form = useRef<HTMLFormElement>(null);
  const all = (): Fields => read(new FormData(form.current!), true);
  const changes = (): Fields => {
    const filled = form.current!.cloneNode(true) as HTMLFormElement;
    filled.reset();
    return differing(all(), read(new FormData(filled), false));
  };
  const saved = useRef('');
  const asText = (): string => JSON.stringify(all());
  const save = async (send: () => Promise<unknown>): Promise<void> => {
    const sent = asText();
    await send();
    saved.current = sent;
  };
  useLeave(() => saved.current !== asText() && Object.keys(changes()).length > 0);
  return { form, changes, all, save };
}
