import type { ReadonlySignal } from '@preact/signals';
import { useSignal } from '../signals.ts';
import { Failure } from '../wire.ts';
import { useAction, type Action } from './use-action.ts';

interface Saving extends Omit<Action, 'run'> {
  /** Resolves with whether `act` succeeded; else the focus is on what the server refuses. */
  run: (act: () => Promise<unknown>, form: HTMLFormElement) => Promise<boolean>;
  /** Since it was last saved nothing went wrong. */
  isSaved: ReadonlySignal<boolean>;
  /** What is wrong with the first of these fields that is at fault; '' for none. */
  failureOf: (...fields: string[]) => string;
  /** Of a list, where one is at fault; -1 where that is no row's. */
  wrongRow: number;
}

const NOTHING = { field: '', text: '' };

/** As `useAction`, of a form that is stored whole or not at all: what the server refuses is said at its field. */
export function useWrong(): Saving {
  const wrong = useSignal(NOTHING);
  const isSaved = useSignal(false);
  const { isBusy, failure, run } = useAction();
  const { field: at, text } = wrong.value;
  return {
    isBusy,
    failure,
    isSaved,
    wrongRow: Number(/\[(\d+)/.exec(text)?.[1] ?? -1),
    // The label names the field, not the API.
    failureOf: (...fields) =>
      fields.some((field) => at === field || /^[.[]/.test(at.replace(field, '')))
        ? text.replace(/^\S+ must/, 'Must').replace('a string', 'a text')
        : '',
    async run(act, form) {
      wrong.value = NOTHING;
      isSaved.value = false;
      return (isSaved.value = await run(() =>
        act().catch(async (error: unknown) => {
          if (!(error instanceof Failure) || !error.field) throw error;
          wrong.value = { field: error.field, text: error.message };
          // Once that is drawn.
          await new Promise((done) => setTimeout(done));
          const control = form.querySelector<HTMLElement>('[aria-invalid=true]');
          if (!control) throw error;
          const group = control.closest('details');
          if (group) group.open = true;
          control.focus();
          throw new Error('Not saved.', { cause: error });
        }),
      ));
    },
  };
}
