import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { readUuid } from '../../schema/ids.ts';
import { isFailed, isPending } from '../../schema/records.ts';
import type { StoredSource } from '../../store/store.ts';

const STATES = ['ready', 'pending', 'failed', 'never_cited'] as const;
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
      description:
        'Only sources that are searched (`ready`), that are being ingested (`pending`), that failed, or that no answer has cited (`never_cited`).',
    }),
  ),
  tag: Type.Optional(Type.String({ description: 'Only sources that have this source tag of the chatbot.' })),
});

interface FilterReaders {
  /** The uuids of the sources that were cited. */
  cited: () => Promise<ReadonlySet<string>>;
  /** Those of the sources that have the tag; undefined where the chatbot has no such tag. */
  tagged: (tag: string) => Promise<ReadonlySet<string> | undefined>;
}

/** Which sources a list is to have; throws a `Refusal` that names the parameter. The readers are called where they are needed. */
export async function readSourceFilter(
  { search = '', state, tag }: ParsedUrlQuery,
  { cited, tagged }: FilterReaders,
): Promise<(source: StoredSource) => boolean> {
  const wanted = STATES.find((one) => one === state);
  if (state !== undefined && !wanted) throw invalid('state', 'state must be ready, pending, failed or never_cited');
  if (Array.isArray(search) || search.length > MAX_SEARCH)
    throw invalid('search', `search must be a text of at most ${MAX_SEARCH} characters`);
  const text = search.toLowerCase();
  const known = wanted === 'never_cited' ? await cited() : undefined;
  const ofTag = tag === undefined ? undefined : await tagged(readUuid(String(tag)) ?? '');
  if (tag !== undefined && !ofTag) throw invalid('tag', 'tag must be a source tag of this chatbot');
  return ({ uuid, title, file_name, status }) =>
    (!ofTag || ofTag.has(uuid)) &&
    (!wanted || (known ? !known.has(uuid) : wanted === stateOf(status))) &&
    (text === '' || title.toLowerCase().includes(text) || file_name.toLowerCase().includes(text));
}

function stateOf(status: string): (typeof STATES)[number] {
  if (isPending(status)) return 'pending';
  return isFailed(status) ? 'failed' : 'ready';
}
