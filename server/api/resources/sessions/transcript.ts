import type { Message } from '../../../schema/records.ts';
import { joinTexts } from '../../../http/json-list.ts';

/** A conversation as people read it, in UTF-8: a turn begins with `User: ` or `Assistant: `, and may have many lines. */
export const transcript = (messages: readonly Message[]): Promise<Buffer> =>
  joinTexts(messages, formatTurn, { before: '', between: '\n', after: '' });

/** Without the answer's line where there is no answer, or none yet. */
const formatTurn = ({ query, response }: Message): string =>
  `User: ${escapeSpeakers(query)}${response === '' ? '' : `\nAssistant: ${escapeSpeakers(response)}`}`;

/** A line of what somebody said is never the first of a turn: it is indented where it reads like one. */
const escapeSpeakers = (text: string): string => text.replace(SPEAKER_AFTER_LINE_BREAK, '$1  ');

/** After whatever some reader takes for the end of a line. */
const SPEAKER_AFTER_LINE_BREAK = /([\n\v\f\r\x1c-\x1e\x85\u2028\u2029])(?=(?:User|Assistant):)/g;
