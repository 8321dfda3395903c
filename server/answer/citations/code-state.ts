/** Whether the end of a growing Markdown text is in code, fenced or in backticks. */
interface CodeState {
  /** The opening fence; empty outside one. */
  fence: string;
  /** The length of the open run of backticks, 0 outside one; the end of the line closes it. */
  ticks: number;
  /** At the beginning of a line. */
  fresh: boolean;
}

export const NO_CODE: CodeState = { fence: '', ticks: 0, fresh: true };

const SIGNS = /\n(?:[ \t>]{0,12}(`{3,}|~{3,}))?|\\[\\`]|`+/g;

/** The state after `text`, which must not end within a run of backticks. */
export function codeStateAfter(state: CodeState, text: string): CodeState {
  if (text === '') return state;
  let { fence, ticks } = state;
  for (const [sign, opened] of (state.fresh ? `\n${text}` : text).matchAll(SIGNS)) {
    if (sign[0] === '\n') ticks = 0;
    if (opened && fence === '') fence = opened;
    else if (opened?.startsWith(fence)) fence = '';
    else if (sign[0] === '`' && fence === '' && (ticks === 0 || ticks === sign.length)) ticks = ticks ? 0 : sign.length;
  }
  return { fence, ticks, fresh: text.endsWith('\n') };
}
