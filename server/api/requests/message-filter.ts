import type { ParsedUrlQuery } from 'node:querystring';
import * as Type from 'typebox';
import { pageName } from '../../answer/runs/page-name.ts';
import { invalid } from '../../schema/errors.ts';
import { readUuid } from '../../schema/ids.ts';
import type { MessageFilter } from '../../store/store.ts';
import { DayQuery, readDayRange } from './time-range.ts';

/** What narrows a list to conversations with a message that has all of it. */

const MAX_TEXT = 200;
const MARKS = ['unknown', 'unsure', 'rated_up', 'rated_down'] as const;

const STATES = ['requested'] as const;

const Text = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TEXT, description }));

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
  page: Text('A part of the host and path of the page where it was asked, or its whole address.'),
  ...DayQuery.properties,
});

/** Undefined where nothing narrows the list. Throws a `Refusal` that names the parameter. */
export function readMessageFilter(query: ParsedUrlQuery): MessageFilter | undefined {
  const mark = readMark(query['has']);
  const state = readState(query['state']);
  const [text, label, page] = [readText(query, 'search'), readText(query, 'label'), readText(query, 'page')];
  const agent = readAgent(query['agent']);
  const filter: MessageFilter = {
    ...(text && { text }),
    ...((mark === 'unknown' || mark === 'unsure') && { outcome: mark }),
    ...(mark === 'rated_up' && { rated: 'up' }),
    ...(mark === 'rated_down' && { rated: 'down' }),
    ...(state && { state }),
    ...(label && { label }),
    ...(agent && { agent }),
    ...(page && { page: pageSought(page) }),
    ...readDayRange(query),
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

/** Without what `pageName` leaves out of an address: scheme, query, fragment and last slash. */
const pageSought = (text: string): string =>
  pageName(text) ?? (text.replace(/[?#][^]*/, '').replace(/(?<=.)\/$/, '') || text);

function readAgent(agent: Value = ''): string {
  const uuid = typeof agent === 'string' ? readUuid(agent) : undefined;
  if (agent !== '' && !uuid) throw invalid('agent', 'agent must be the uuid of an agent');
  return uuid ?? '';
}
