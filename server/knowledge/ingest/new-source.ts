import { newUuid } from '../../schema/ids.ts';
import type { StoredSource } from '../../store/store.ts';

type Origin = Pick<StoredSource, 'chatbot' | 'type' | 'title' | 'file_name' | 'identity'>;

/** A record with the status `await`. `reference`: the link that its owner gives as its origin. */
export const newSource = (origin: Origin, now: string, reference?: string): StoredSource => ({
  uuid: newUuid(),
  ...origin,
  status: 'await',
  file_size: 0,
  tokens: 0,
  meta_json: JSON.stringify({ reference_source_link: reference }),
  created_at: now,
  modified_at: now,
});
