import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { isFailed, isPending } from '../../schema/records.ts';
import type { StoredSource } from '../../store/store.ts';

const STATES = ['ready', 'pending', 'failed'] as const;
const MAX_SEARCH = 200;

export const SourceFilterQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      description: 'Only sources whose title or `file_name` has this text, in upper or lower case.',
    }),
  ),
  state: Type.Optional(
    Type.Enum([...STATES], {
      description: 'Only sources that are searched (`ready`), that are being ingested (`pending`), or that failed.',
    }),
  ),
});

/** Which sources a list is to have; throws a `Refusal` that names the parameter. */
export function readSourceFilter({ search = '', state }: ParsedUrlQuery): (source: StoredSource) => boolean {
  const wanted = STATES.find((one) => one === state);
  if (state !== undefined && !wanted) throw invalid('state', 'state must be ready, pending or failed');
  if (Array.isArray(search) || search.length > MAX_SEARCH)
    throw invalid('search', `search must be a text of at most ${MAX_SEARCH} characters`);
  const text = search.toLowerCase();
  return ({ title, file_name, status }) =>
    (!wanted || wanted === stateOf(status)) &&
    (text === '' || title.toLowerCase().includes(text) || file_name.toLowerCase().includes(text));
}

function stateOf(status: string): (typeof STATES)[number] {
  if (isPending(status)) return 'pending';
  return isFailed(status) ? 'failed' : 'ready';
}
