import { signal } from '@preact/signals';

/** What a first answer does without, once it is here. */
export const extras = signal<typeof import('./extras/index.ts') | undefined>(undefined);

/** Rejects where it cannot be loaded; the next call tries again. */
export const loadExtras = async (): Promise<NonNullable<typeof extras.value>> =>
  (extras.value ??= await import('./extras/index.ts'));
