/** What a node is; where an element of that name draws it, its name. */
export type NodeKind =
  | 'document'
  | 'p'
  | 'heading'
  | 'code'
  | 'hr'
  | 'blockquote'
  | 'list'
  | 'li'
  | 'table'
  | 'tr'
  | 'td'
  | 'text'
  | 'codespan'
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
  /** Text, code span: what it says. Marker: its key. Plain: the sign. Image: what it shows, in words. Code block: its language. */
  text: string;
  /** Heading: 1 to 6. List: its first number, -1 for bullets. Item: the columns its content is indented by. Fenced code: its own
   * indent. Paragraph: 1 for a task, 2 for a task done. Bracket: 1 for an image's. */
  level: number;
  /** List: its bullet or the sign after its number. Fenced code: its fence, empty when indented. */
  mark: string;
  href: string;
  title: string;
  isLoose: boolean;
  endsBlank: boolean;
  /** Of a table's columns; of a cell, its own alone. */
  align: Align[];
}

export const createNode = (kind: NodeKind, own: Partial<Node> = {}): Node => ({
  kind,
  version: 0,
  children: [],
  text: '',
  level: 0,
  mark: '',
  href: '',
  title: '',
  isLoose: false,
  endsBlank: false,
  align: [],
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

/** What a reader would read out. */
export const plainOf = ({ kind, text, children }: Node): string =>
  kind === 'marker'
    ? `[${text}]`
    : kind === 'br'
      ? '\n'
      : (kind === 'code' ? '' : text) + children.map(plainOf).join('');
