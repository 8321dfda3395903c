import { useSignal } from '@preact/signals';
import { useAction, type Action } from '../../parts/use-action.ts';
import { Failure } from '../../wire.ts';

/** As `useAction`, of a form that is stored whole or not at all: what the server refuses is said at its field, too. */
export function useWrong(): Action & { failureOf: (...fields: string[]) => string } {
  const wrong = useSignal({ field: '', text: '' });
  const { isBusy, failure, run } = useAction();
  return {
    isBusy,
    failure,
    failureOf: (...fields) =>
      fields.some((field) => wrong.value.field === field || /^[.[]/.test(wrong.value.field.replace(field, '')))
        ? wrong.value.text
        : '',
    run(act) {
      wrong.value = { field: '', text: '' };
      return run(() =>
        act().catch((error: unknown) => {
          if (!(error instanceof Failure) || !error.field) throw error;
          wrong.value = { field: error.field, text: error.message };
          throw new Error(`Not saved: ${error.message}`, { cause: error });
        }),
      );
    },
  };
}
