import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { readUuid } from '../../schema/ids.ts';
import type { MessageFilter } from '../../store/store.ts';

/** What narrows a list to conversations with a message that has all of it. */

const MAX_TEXT = 200;
const MARKS = ['unknown', 'unsure', 'rated_up', 'rated_down'] as const;

const STATES = ['requested'] as const;

const Text = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TEXT, description }));
const Day = (description: string) =>
  Type.Optional(Type.String({ description: `${description}, \`YYYY-MM-DD\` in UTC.` }));

export const MessageFilterQuery = Type.Object({
  has: Type.Optional(
    Type.Enum([...MARKS], {
      description:
        'Only conversations with a message that is so. With other parameters, one message has to have all of them.',
    }),
  ),
  state: Type.Optional(
    Type.Enum([...STATES], {
      description: 'Only conversations whose `meta.live.state` is so: a person was asked for.',
    }),
  ),
  search: Text(
    'Words of a question or its answer, each whole or its beginning, without case and accents. All of them have to be there.',
  ),
  label: Text('Name of a tag that a background agent gave to the message.'),
  agent: Type.Optional(Type.String({ description: 'Uuid of the agent that answered.' })),
  page: Text('A part of the host and path of the page where it was asked.'),
  from: Day('First day of the question'),
  to: Day('Last day of it'),
});

/** Undefined where nothing narrows the list. Throws a `Refusal` that names the parameter. */
export function readMessageFilter(query: ParsedUrlQuery): MessageFilter | undefined {
  const mark = readMark(query['has']);
  const state = readState(query['state']);
  const [text, label, page] = [readText(query, 'search'), readText(query, 'label'), readText(query, 'page')];
  const [agent, from, to] = [readAgent(query['agent']), readDay(query, 'from'), readDay(query, 'to')];
  if (from && to && to < from) throw invalid('to', 'to must not be before from');
  const filter: MessageFilter = {
    ...(text && { text }),
    ...((mark === 'unknown' || mark === 'unsure') && { outcome: mark }),
    ...(mark === 'rated_up' && { rated: 'up' }),
    ...(mark === 'rated_down' && { rated: 'down' }),
    ...(state && { state }),
    ...(label && { label }),
    ...(agent && { agent }),
    ...(page && { page }),
    ...(from && { from }),
    ...(to && { to }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

type Value = ParsedUrlQuery[string];

function readMark(has: Value): (typeof MARKS)[number] | undefined {
  const mark = MARKS.find((one) => one === has);
  if (has !== undefined && !mark)
    throw invalid('has', `has must be ${MARKS.slice(0, -1).join(', ')} or ${MARKS.at(-1)}`);
  return mark;
}

function readState(written: Value = ''): (typeof STATES)[number] | undefined {
  const state = STATES.find((one) => one === written);
  if (written !== '' && !state) throw invalid('state', `state must be ${STATES.join(' or ')}`);
  return state;
}

function readText(query: ParsedUrlQuery, name: 'search' | 'label' | 'page'): string {
  const text = query[name] ?? '';
  if (Array.isArray(text) || text.length > MAX_TEXT)
    throw invalid(name, `${name} must be a text of at most ${MAX_TEXT} characters`);
  return text;
}

function readAgent(agent: Value = ''): string {
  const uuid = typeof agent === 'string' ? readUuid(agent) : undefined;
  if (agent !== '' && !uuid) throw invalid('agent', 'agent must be the uuid of an agent');
  return uuid ?? '';
}

function readDay(query: ParsedUrlQuery, name: 'from' | 'to'): string {
  const day = query[name] ?? '';
  const isDay =
    typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) && isSame(day);
  if (day !== '' && !isDay) throw invalid(name, `${name} must be a day such as 2026-01-31`);
  return day as string;
}

/** `2026-02-31` is read as a day of March. */
const isSame = (day: string): boolean => new Date(day).toISOString().startsWith(day);
