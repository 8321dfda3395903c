import * as Type from 'typebox';
import type { Static } from 'typebox';
import { record, Timestamp } from '../fields.ts';

/** Lines of each kind that are kept, and UTF-16 units of each: the record of a source is held in memory. */
export const [MAX_LINES, MAX_LINE_LENGTH] = [5, 200];

/** What a fetch last changed in the text of a source. */
export const TextChange = record({
  at: Type.Union([Timestamp, Type.Literal('')], {
    description: 'When it was fetched; empty: no fetch has changed the text.',
  }),
  added: Type.Integer({ minimum: 0, description: 'Lines that were new.' }),
  removed: Type.Integer({ minimum: 0, description: 'Lines that were there no more.' }),
  added_lines: Type.Array(Type.String(), {
    maxItems: MAX_LINES,
    description: `The first of the new lines, ${MAX_LINE_LENGTH} characters of each at most.`,
  }),
  removed_lines: Type.Array(Type.String(), {
    maxItems: MAX_LINES,
    description: 'The first of the old ones, likewise.',
  }),
});
export type TextChange = Static<typeof TextChange>;

/** What a source says, in parts as they are searched and quoted. */
export const SourceText = record({
  passages: Type.Array(
    record({
      headings: Type.Array(Type.String(), { description: 'Those above it, the outermost first.' }),
      text: Type.String(),
    }),
    { description: 'In their order; empty until the source is ingested.' },
  ),
  last_change: TextChange,
});
