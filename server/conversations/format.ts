import {
  flag,
  isMapAt,
  listOf,
  mapOf,
  nonEmpty,
  readYaml,
  record,
  text,
  value,
  type Place,
  type Reader,
} from './yaml-fields.ts';

/** Conversations as a file has them: what a visitor asks, and what must hold of each answer. */

export type Value = string | number | boolean;

export interface ConversationFile {
  /** As it was named on the command line. */
  name: string;
  /** A name or a uuid; absent where the file leaves it to the command. */
  chatbot?: string;
  conversations: Conversation[];
}

export interface Conversation {
  name: string;
  line: number;
  /** The session's initial variables. */
  variables?: Record<string, Value>;
  turns: Turn[];
}

/** A question, and of its answer only what is to be checked. */
export interface Turn {
  ask: string;
  line: number;
  /** Name or uuid. */
  agent?: string;
  /** Each a part of an address, or of a title. */
  cites?: string[];
  answer?: ExpectedAnswer;
  /** `meta.live.state` of the session; `none` for a session without. */
  state?: string;
  labels?: string[];
  /** `null` for one that must not be set. */
  variables?: Record<string, Value | null>;
  tools?: ExpectedCall[];
}

/** A call that succeeds, or one that does not. */
export interface ExpectedCall {
  name: string;
  fails: boolean;
}

export interface ExpectedAnswer {
  contains?: string[];
  excludes?: string[];
  quotes?: boolean;
  unknown?: boolean;
}

const texts = listOf(text);

/** A name, or `{ fails: name }`. */
const call: Reader<ExpectedCall> = (place) =>
  isMapAt(place)
    ? { name: record<{ fails: string }>({ fails: text }, ['fails'])(place).fails, fails: true }
    : { name: text(place), fails: false };

const answer = record<ExpectedAnswer>(
  { contains: nonEmpty(texts), excludes: nonEmpty(texts), quotes: flag, unknown: flag },
  [],
);

const turn = withLine(
  record<Omit<Turn, 'line'>>(
    {
      ask: text,
      agent: text,
      cites: nonEmpty(texts, '"answer: { quotes: false }" is for an answer without sources'),
      answer,
      state: text,
      labels: texts,
      variables: mapOf(value),
      tools: listOf(call),
    },
    ['ask'],
  ),
);

const initial: Reader<Value> = (place) => {
  const found = value(place);
  return found === null ? text(place) : found;
};

const conversation = withLine(
  record<Omit<Conversation, 'line'>>({ name: text, variables: mapOf(initial), turns: nonEmpty(listOf(turn)) }, [
    'name',
    'turns',
  ]),
);

const conversationFile = record<Omit<ConversationFile, 'name'>>(
  { chatbot: text, conversations: nonEmpty(listOf(conversation)) },
  ['conversations'],
);

/** Throws a `FileError` that names the line and the key at fault. */
export const readConversations = (name: string, yaml: string): ConversationFile => ({
  name,
  ...readYaml(name, yaml, conversationFile),
});

function withLine<T>(read: Reader<T>): Reader<T & { line: number }> {
  return (place: Place) => ({ ...read(place), line: place.line });
}
