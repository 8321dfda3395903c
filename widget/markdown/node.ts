/** What a node is; where an element of that name draws it, its name. */
export type NodeKind =
  | 'p'
  | 'heading'
  /** A block of code; `code` is some within a line. */
  | 'pre'
  | 'code'
  | 'hr'
  | 'blockquote'
  | 'list'
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
  /** Something in brackets that may yet become a link, an image or a marker. */
  | 'bracket'
  /** A sign that stayed one, and what comes after it. */
  | 'plain';

export type Align = 'left' | 'center' | 'right' | '';

/** A part of the document, block or inline. While more text comes, only the last child of a node ever changes. */
export interface Node {
  kind: NodeKind;
  /** Grows whenever the node or anything in it may have changed. */
  version: number;
  children: Node[];
  /** Text: what it says. Plain: the sign. The key of a marker, what an image shows in words, stand in their children. */
  text: string;
  /** Heading: 1 to 6. List: its first number, -1 for bullets. Item: the columns its content is indented by. Fenced code: its own
   * indent. Paragraph: 1 for a task, 2 for a task done. */
  level: number;
  /** List: its bullet or the sign after its number. Fenced code: its fence, empty when indented. */
  mark: string;
  /** A link's, an image's. */
  href?: string;
  /** A link's, an image's. Fenced code: its language. */
  title?: string | undefined;
  isLoose?: boolean;
  endsBlank?: boolean;
  /** A cell's; a table's are those of its columns. */
  align?: Align;
  columns?: Align[];
}

export const createNode = (kind: NodeKind, own: Partial<Node> = {}): Node => ({
  kind,
  version: 0,
  children: [],
  text: '',
  level: 0,
  mark: '',
  ...own,
});

/** Text grows in pieces of about this length, so that adding to it costs the same at any length. */
const PIECE = 500;

/** Adds text to a text node, or where that is long or none, to a new one at the end of `parent`; gives the one it is in. */
export function addText(parent: Node, text: string, last?: Node): Node {
  // Spaces stay with the word before them, so that all at the end of a line are in one piece.
  const piece = last && (last.text.length < PIECE || text[0] === ' ') ? last : createNode('text');
  if (piece !== last) parent.children.push(piece);
  piece.text += text;
  return piece;
}

/** What it says, without its signs; of a marker, its key. */
export const plainOf = ({ kind, text, children }: Node): string =>
  kind === 'br' ? ' ' : text + children.map(plainOf).join('');
