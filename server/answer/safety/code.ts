/** A fence at the beginning of a line, and nothing else but the name of a language. */
const OPENING_FENCE = /^(`{3,})[\w+#.-]{0,30} *$/;
/** A line that may be a fence for some readers, in a list or a quote, or once markers are taken out. */
const FENCE_LIKE = /^[\s>*+\-\d.)]*(?:`{3}|~{3})/;
const MARKER = /[[【][^\]】]*[\]】]/g;
const MARKERS_BEHIND = /^(?:[ \t]*[[【][^\]】]*[\]】])*[ \t]*/;
/** Backticks that another run may follow once a marker is taken out. */
const BESIDE_MARKER = /[\]】][ \t]*`|`[ \t]*[[【]/;
const BEGUN_MARKER = /^[[【][^\]】]*$/;
/** What begins a tag, a comment or a block of HTML, within which nothing is code. */
const TAG = /<[a-z/!?]/i;
/** UTF-16 units of a line; in a longer one nothing is code. */
const MAX_CODE_LINE = 4000;

/** Tells what every reader of Markdown takes for code in text that is shown piece by piece; whatever is doubtful is none. */
export class CodeReader {
  #line = '';
  #fence = '';
  /** Lines of the paragraph have backticks without a partner: any after them may be one. */
  #isOpen = false;
  /** A tag or a doubtful fence was shown: what follows may be anything. */
  #isLost = false;

  /** `text`: as it is shown. */
  read(text: string): void {
    const lines = text.split('\n');
    for (const [at, part] of lines.entries()) {
      if (at > 0) this.#endLine();
      this.#line += part;
      if (this.#line.length > MAX_CODE_LINE || part.includes('\r')) this.#isLost = true;
      if (this.#isLost) this.#line = '';
    }
  }

  /** Whether the text goes on in a fenced block. */
  get isFenced(): boolean {
    return this.#fence !== '' && !this.#isLost && this.#line.replace(/[^`~]/g, '').length < 3;
  }

  /**
   * Whether `next`, where the text goes on, is in a span of backticks; undefined where the rest of the line decides it.
   * `isWhole`: no more text comes.
   */
  isInSpan(next: string, isWhole: boolean): boolean | undefined {
    if (this.#isLost || this.#isOpen || this.#fence !== '') return false;
    const open = openRun(this.#line);
    if (open === undefined || open.run === 0 || hasTag(this.#line.slice(0, open.start))) return false;
    const end = next.search(/[\r\n]/);
    const line = end < 0 ? next : next.slice(0, end);
    const close = Array.from(line.matchAll(/`+/g)).find(([run]) => run.length === open.run);
    // A marker behind it may be taken out.
    const behind = close ? line.slice(close.index + open.run).replace(MARKERS_BEHIND, '') : '';
    if ((behind === '' || BEGUN_MARKER.test(behind)) && end < 0 && !isWhole) return undefined;
    const inside = this.#line.slice(open.start) + line.slice(0, close ? close.index + open.run : 0);
    // The destination of a link may be taken out with the end; a bar ends the cell of a table.
    return close !== undefined && !/^[`[【]/.test(behind) && !/\||\][(:]/.test(inside) && !BESIDE_MARKER.test(inside);
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#fence !== '') {
      const signs = line.replace(/[^`~]/g, '');
      if (line.replace(/ +$/, '') === this.#fence) this.#fence = '';
      else if (signs.length >= 3) this.#isLost = true;
      return;
    }
    const opening = OPENING_FENCE.exec(line)?.[1];
    if (opening !== undefined) this.#fence = opening;
    else if (FENCE_LIKE.test(line) || FENCE_LIKE.test(line.replace(MARKER, ''))) this.#isLost = true;
    else if (hasTag(line)) this.#isLost = true;
    else if (line.trim() === '') this.#isOpen = false;
    else if (openRun(line)?.run !== 0) this.#isOpen = true;
  }
}

/**
 * The run of backticks that no run of its length in the line closes, 0 without one; undefined where a reader may see other
 * runs, since one is escaped or next to a marker that may be taken out, or one without a partner stands before others.
 */
function openRun(line: string): { run: number; start: number } | undefined {
  if (/\\`/.test(line) || BESIDE_MARKER.test(line)) return undefined;
  const runs = Array.from(line.matchAll(/`+/g), ({ 0: run, index }) => ({ run: run.length, start: index }));
  while (runs.length > 0) {
    const [first, ...rest] = runs;
    const partner = rest.findIndex(({ run }) => run === first!.run);
    if (partner < 0) return rest.length > 0 ? undefined : first!;
    runs.splice(0, partner + 2);
  }
  return { run: 0, start: line.length };
}

/** Whether a line has what may be a tag outside its spans. */
const hasTag = (line: string): boolean =>
  TAG.test(/\\`/.test(line) ? line : line.replace(/(`+)(?!`)[^`|]*\1(?!`)/g, ''));
