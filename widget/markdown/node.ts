/** What a node is; where an element of that name draws it, its name. */
export type NodeKind =
  | 'p'
  | 'heading'
  /** A block of code; `code` is some within a line. */
  | 'pre'
  | 'code'
  | 'hr'
  | 'blockquote'
  | 'ul'
  | 'ol'
  | 'li'
  | 'table'
  | 'tr'
  | 'th'
  | 'td'
  | 'text'
  | 'br'
  | 'em'
  | 'strong'
  | 's'
  | 'link'
  | 'image'
  /** `[1]` or `[1.2]`: the place of a citation. */
  | 'marker'
  /** A sign that stayed one. */
  | 'sign'
  /** All of a document. */
  | 'plain';

export type Align = 'left' | 'center' | 'right' | '';

/** A part of the document, block or inline. */
export interface Node {
  kind: NodeKind;
  /** Another one whenever the node or anything in it may have changed. */
  version: object;
  children: Node[];
  /** So many children at the start never change again, of a leaf that is read. */
  done: number;
  /** What of its text is to be read again when more comes, after the character before it. */
  source: string;
  /** Text: what it says. The key of a marker, what an image shows in words, stand in their children. */
  text: string;
  /** Heading: 1 to 6. Numbered list: its first number. Fenced code: its own
   * indent. Paragraph: 1 for a task, 2 for a task done. */
  level: number;
  /** List: its bullet or the sign after its number. Fenced code: its fence, empty when indented. */
  mark: string;
  /** A link's, an image's. */
  href?: string;
  /** A link's, an image's. Fenced code: its language. */
  title?: string | undefined;
  /** What a line begins with that goes on in the quote or the item. */
  prefix?: RegExp;
  /** A blank line stands after it. */
  endsBlank?: boolean;
  /** Its place in the text of its leaf. */
  at?: number | undefined;
  /** A cell's; a table's are those of its columns. */
  align?: Align;
  columns?: Align[];
}

export const createNode = (kind: NodeKind, own: Partial<Node> = {}): Node => ({
  kind,
  version: {},
  children: [],
  done: 0,
  source: '',
  text: '',
  level: 0,
  mark: '',
  ...own,
});

/** Adds to the text at the end of a list, or where that is long or none, a new one. */
export function addText(list: Node[], text: string, at?: number): void {
  const last = list.at(-1);
  // What may be an address stays in one piece.
  if (last?.kind === 'text' && last.text.length < (/[\w.+-]$/.test(last.text) ? 256 : 99)) last.text += text;
  else list.push(createNode('text', { text, at }));
}

/** What it says, without its signs; of a marker, its key. */
export const plainText = ({ kind, text, children }: Node): string =>
  kind === 'br' ? ' ' : text + children.map(plainText).join('');
