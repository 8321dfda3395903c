import * as Type from 'typebox';
import type { Static } from 'typebox';
import { objectIn } from '../../../schema/json.ts';
import { dated, record, Uuid } from '../../../schema/fields.ts';
import { outcomeIn } from '../../../store/outcomes.ts';
import { soughtIn, wordsIn } from '../../../store/shared/message-search.ts';
import type { Store, StoredMessage, StoredSession } from '../../../store/store.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const FoundMessage = record({
  uuid: Uuid,
  query: Type.String(),
  text: Type.String({ description: 'Of the answer, up to 200 characters around the first of the words.' }),
});

/** A session as a list of conversations has it. */
export const Conversation = record({
  uuid: Uuid,
  ...dated,
  first_query: Type.String({ description: 'Its first question.' }),
  messages: Count('Number of messages.'),
  unknown: Count('Messages to which the sources had no answer.'),
  unsure: Count('Messages whose quotes may not answer.'),
  rated_up: Count('Messages that the visitor voted up.'),
  rated_down: Count('Messages that the visitor voted down.'),
  state: Type.Enum(['none', 'requested'], { description: '`meta.live.state` of the session; `none` without.' }),
  labels: Type.Array(Type.String(), { description: 'Names of the tags that background agents gave, each once.' }),
  found: Type.Optional(
    Type.Unsafe<Static<typeof FoundMessage>>({
      ...FoundMessage,
      description: 'The last message that has what narrows the list; absent where nothing does.',
    }),
  ),
});
export type Conversation = Static<typeof Conversation>;

/** Characters of `found.text`, and of them before the word. */
const [TEXT_LENGTH, BEFORE_WORD] = [200, 60];

/** Undefined where it is none of the list: a dry run, or one without a message. `found`: the uuid of the message that passed. */
export async function conversationOf(
  store: Store,
  session: StoredSession,
  { found, text = '' }: { found?: string; text?: string } = {},
): Promise<Conversation | undefined> {
  if (session.dry_run) return undefined;
  const messages = await store.messages(session.uuid);
  const [first] = messages;
  if (!first) return undefined;
  const countOf = (is: (message: StoredMessage) => boolean): number => messages.filter(is).length;
  const message = messages.find(({ uuid }) => uuid === found);
  return {
    uuid: session.uuid,
    created_at: session.created_at,
    modified_at: session.modified_at,
    first_query: first.query,
    messages: messages.length,
    unknown: countOf(({ meta_json }) => outcomeIn(meta_json) === 'unknown'),
    unsure: countOf(({ meta_json }) => outcomeIn(meta_json) === 'unsure'),
    rated_up: countOf((one) => ratingOf(one) === 1),
    rated_down: countOf((one) => ratingOf(one) === -1),
    state: session.live?.state ?? 'none',
    labels: [...new Set(messages.flatMap(({ labels }) => labels.map(({ name }) => name)))],
    ...(message && {
      found: { uuid: message.uuid, query: message.query, text: excerptOf(message.response, soughtIn(text)) },
    }),
  };
}

const ratingOf = ({ feedback_json }: StoredMessage): unknown => objectIn(feedback_json)['rating'];

/** The beginning of the text where it has none of the words. */
function excerptOf(text: string, words: string[]): string {
  let at = 0;
  for (const { 0: word, index } of words.length === 0 ? [] : text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const own = wordsIn(word);
    if (!words.some((start) => own.some((one) => one.startsWith(start)))) continue;
    at = index;
    break;
  }
  const from = Math.max(0, at - BEFORE_WORD);
  return text.slice(from, from + TEXT_LENGTH).toWellFormed();
}
