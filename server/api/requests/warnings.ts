import type { RouterContext } from '@koa/router';
import { MAX_WARNINGS } from '../../agents/warnings.ts';

export const WARNINGS = 'X-Warnings';

const MAX_FIELD_LENGTH = 80;

/**
 * Names on the reply what was stored and does not act as it may be meant, such as `name: the model calls it in_stock`.
 * Fields may be the caller's own words: what is not plain ASCII is percent-encoded. Sentences are plain ASCII.
 */
export function setWarnings(
  ctx: RouterContext,
  warnings: readonly (readonly [field: string, sentence: string])[],
): void {
  if (warnings.length === 0) return;
  const shown = warnings.slice(0, MAX_WARNINGS).map(([field, sentence]) => `${inHeader(field)}: ${sentence}`);
  ctx.set(WARNINGS, [...shown, ...(warnings.length > MAX_WARNINGS ? ['...'] : [])].join('; '));
}

/** A place in a list, `rules[0]`, stays readable. */
const inHeader = (field: string): string =>
  encodeURIComponent(field.toWellFormed().slice(0, MAX_FIELD_LENGTH).toWellFormed()).replace(
    /%5[BD]/g,
    decodeURIComponent,
  );
