/** Kind of a node; the name of its HTML element where there is one. */
export type NodeKind =
  | 'p'
  | 'heading'
  /** Code block; `code` is a code span. */
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
  /** Citation marker, `[1]` or `[1.2]`. */
  | 'marker'
  /** Unmatched delimiter, shown as text. */
  | 'sign'
  /** Root of a document. */
  | 'plain';

export type Align = 'left' | 'center' | 'right' | '';

/** A node of the document's tree, block or inline. */
export interface Node {
  kind: NodeKind;
  /** A new object whenever the node or a descendant may have changed. */
  version: object;
  children: Node[];
  /** Leaf: number of leading children that are final. */
  done: number;
  /** Leaf: source to parse again when more comes, with one character before it. */
  source: string;
  /** Text content. A marker's key and an image's alternative text are in their children. */
  text: string;
  /** Heading: 1 to 6. Numbered list: its first number. Fenced code: its indent. Paragraph: 1 for an open task, 2 for a done one. */
  level: number;
  /** List: its bullet or the delimiter after its number. Code: its fence, empty when indented. */
  mark: string;
  /** Link or image: address. */
  href?: string;
  /** Link or image: title. Fenced code: language. */
  title?: string | undefined;
  /** Block quote, list item: prefix of a line that continues it. */
  prefix?: RegExp;
  /** A blank line follows. */
  endsBlank?: boolean;
  /** Offset in the source of its leaf. */
  at?: number | undefined;
  /** Cell: alignment; `columns`: the table's, by column. */
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

/** Appends to the last text node of a list, or adds a new node where that is long or there is none. */
export function addText(list: Node[], text: string, at?: number): void {
  const last = list.at(-1);
  // What may become a bare address stays in one node.
  if (last?.kind === 'text' && last.text.length < (/[\w.+-]$/.test(last.text) ? 256 : 99)) last.text += text;
  else list.push(createNode('text', { text, at }));
}

/** Text content without markup; a marker's key. */
export const plainText = ({ kind, text, children }: Node): string =>
  kind === 'br' ? ' ' : text + children.map(plainText).join('');
