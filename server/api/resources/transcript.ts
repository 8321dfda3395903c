import type { Message } from '../../schema/records.ts';
import { bytesOf } from '../../http/json-list.ts';

/** A conversation as people read it, in UTF-8: a turn begins with `User: ` or `Assistant: `, and may have many lines. */
export const transcript = (messages: readonly Message[]): Promise<Buffer> =>
  bytesOf(messages, turn, { before: '', between: '\n', after: '' });

/** Without the answer's line where there is no answer, or none yet. */
const turn = ({ query, response }: Message): string =>
  `User: ${told(query)}${response === '' ? '' : `\nAssistant: ${told(response)}`}`;

/** A line of what somebody said is never the first of a turn: it is indented where it reads like one. */
const told = (text: string): string => text.replace(FORGED, '$1  ');

/** After whatever some reader takes for the end of a line. */
const FORGED = /([\n\v\f\r\x1c-\x1e\x85\u2028\u2029])(?=(?:User|Assistant):)/g;
