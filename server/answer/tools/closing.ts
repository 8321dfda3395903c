import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { TOOL_PHRASES } from './phrases.ts';
import type { ToolUse } from './tool-use.ts';

/**
 * What an answer says of its calls by itself, in paragraphs: which of those that act were not carried out, whatever the
 * model claims, and which call the visitor has to confirm. `isUntold`: no model has told of those that were.
 */
export function closingOf(tools: ToolUse, language: LanguageCode, isUntold = false): string {
  const { notDone, unsure, done, needsChat, confirm } = TOOL_PHRASES[language];
  return [
    isUntold ? said(done, tools.ended('done')) : '',
    said(notDone, tools.ended('failed')),
    said(unsure, tools.ended('unsure')),
    said(needsChat, tools.ended('unconfirmed')),
    said(confirm, tools.pending ? [tools.pending.shown.name] : []),
  ]
    .filter((sentence) => sentence !== '')
    .map((sentence) => `\n\n${sentence}`)
    .join('');
}

export const notDone = (language: LanguageCode, name: string): string =>
  `\n\n${said(TOOL_PHRASES[language].notDone, [name])}`;

export const notCertain = (language: LanguageCode, name: string): string =>
  `\n\n${said(TOOL_PHRASES[language].unsure, [name])}`;

/** That nothing was done, or with `isElse` nothing else, behind an answer that claims it. */
export const nothingDone = (language: LanguageCode, isElse: boolean): string =>
  `\n\n${TOOL_PHRASES[language][isElse ? 'nothingElse' : 'nothing']}`;

const said = (phrase: string, names: string[]): string =>
  names.length > 0 ? `${phrase} ${names.map(plain).join(', ')}` : '';

/** What the owner wrote as text of one line: Markdown of it is not read. */
export const plain = (name: string): string => name.replace(/[\\[\]`*_<>~|]/g, '\\$&').replace(/\s+/g, ' ');
