import type { Signal } from '@preact/signals';
import { Component, type ComponentChildren, type TargetedMouseEvent, type VNode } from 'preact';
import { isAtHost, safeAddress } from './address.ts';
import { createDocument } from './document.ts';
import { plainText, type Node } from './node.ts';

/** What a document needs of the room it stands in. */
export interface Surroundings {
  /** Draws the place of a citation, `[1]`. */
  marker: (key: string) => ComponentChildren;
  /** The names of parts that scroll by themselves, and of the button on code. */
  words: { code: string; table: string; copy: string; copied: string };
  /** Hosts whose images are shown, in lower case, `*.example.com` among them; an image from elsewhere is a link. */
  imageHosts?: readonly string[] | undefined;
  /** Inside a link stands no other one. */
  isLinked?: boolean;
}

interface MemoProps {
  version: object;
  draw: () => ComponentChildren;
}

/** Drawn again only when its version has changed, so what is finished is never touched. */
class Memo extends Component<MemoProps> {
  override shouldComponentUpdate({ version }: MemoProps): boolean {
    return version !== this.props.version;
  }

  override render({ draw }: MemoProps): ComponentChildren {
    return draw();
  }
}

/** So many nodes are drawn side by side; more are in groups of as many, those in groups again. */
const GROUP_NODES = 16;

/**
 * Draws the nodes of a list from `from` on, which only changes at its end. Each level holds `GROUP` times more than the one before,
 * so that one more costs as good as the same at any length, and no node ever moves to another place.
 */
function drawNodes(list: Node[], around: Surroundings, from = 0, end = list.length, step = 0): ComponentChildren[] {
  const drawn: ComponentChildren[] = [];
  let size = step || 1;
  for (let at = from; at < end; at += size) {
    if (!step && drawn.length && drawn.length % GROUP_NODES === 0) size *= GROUP_NODES;
    const [first, next, inner] = [at, Math.min(end, at + size), size / GROUP_NODES];
    const draw = (): ComponentChildren =>
      inner < 1 ? drawNode(list[first]!, around) : drawNodes(list, around, first, next, inner);
    const { text, version } = list[next - 1]!;
    drawn.push((inner < 1 && text) || <Memo version={version} draw={draw} />);
  }
  return drawn;
}

/** An image of a host that is allowed, else a link; where neither may stand, what it would have shown. */
function drawLink(node: Node, inside: ComponentChildren, around: Surroundings): ComponentChildren {
  const { kind, href = '', title } = node;
  if (!safeAddress(href)) return inside;
  if (kind === 'image' && isAtHost(href, around.imageHosts))
    return <img loading="lazy" referrerpolicy="no-referrer" src={href} alt={plainText(node)} />;
  if (around.isLinked) return inside;
  return (
    <a href={href} title={title} target="_blank" rel="noopener nofollow">
      {inside}
    </a>
  );
}

/** A part that scrolls by itself can be reached by the keyboard, and says what it is. */
const drawScrolling = (name: string, inside: ComponentChildren): VNode => (
  <div class="scroll" tabIndex={0} role="group" aria-label={name}>
    {inside}
  </div>
);

/** Code, and a button that copies it and says so; none where the page may not write to the clipboard. */
function drawCode(name: string | undefined, inside: ComponentChildren, { words }: Surroundings): VNode {
  const clipboard = globalThis.navigator?.clipboard;
  const copy = ({ currentTarget: button }: TargetedMouseEvent<HTMLElement>): void => {
    // Where it is refused the text can still be selected by hand.
    clipboard.writeText(button.nextSibling!.textContent!).then(
      () => void (button.textContent = words.copied),
      () => undefined,
    );
  };
  const code = (
    <pre>
      <code>{inside}</code>
    </pre>
  );
  return (
    <div class="code">
      {clipboard && (
        <button aria-live="polite" onClick={copy}>
          {words.copy}
        </button>
      )}
      {drawScrolling(name || words.code, code)}
    </div>
  );
}

function drawNode(node: Node, around: Surroundings): ComponentChildren {
  const { kind, level, children, href, title, align } = node;
  if (kind === 'marker') return around.marker(plainText(node));
  const inside = drawNodes(children, href ? { ...around, isLinked: true } : around);
  if (href !== undefined) return drawLink(node, children[0] ? inside : href, around);
  if (kind === 'pre') return drawCode(title, inside, around);
  if (kind === 'table') return drawScrolling(around.words.table, <table>{inside}</table>);
  if (kind === 'p' && level)
    return (
      <label>
        <input type="checkbox" disabled checked={level > 1} /> {inside}
      </label>
    );
  if (!children[0] && /^[pes]/.test(kind)) return null;
  // A heading stands below the panel's own, whatever level the answer starts at.
  const Tag = (kind === 'heading' ? `h${'334566'[level - 1]}` : kind) as 'ol';
  return (
    <Tag start={Tag === 'ol' ? level : undefined} style={align && { textAlign: align }}>
      {inside}
    </Tag>
  );
}

export interface MarkdownProps extends Surroundings {
  text: Signal<string>;
  /** No more text comes. */
  isWhole: boolean;
  /** The piece that the text has just grown by. With it a piece costs the same at any length: the text itself is not looked at. */
  last?: () => string;
}

/** A text that grows: what is new of it is written to its document; another text is another document. */
export class Markdown extends Component<MarkdownProps> {
  private document = createDocument();
  private seen = '';

  override render({ text: { value }, isWhole, last, ...around }: MarkdownProps): VNode {
    // What is whole has an end to it, so that nothing longer begins with it.
    const now = isWhole ? `${value}\0` : value;
    const piece = !isWhole && last?.();
    const isGrown = piece && now.length === this.seen.length + piece.length;
    if (!isGrown && !now.startsWith(this.seen)) {
      this.document = createDocument();
      this.seen = '';
    }
    if (now !== this.seen) {
      this.document.write(isGrown ? piece : value.slice(this.seen.length));
      if (isWhole) this.document.end();
      this.seen = now;
    }
    return drawDocument(this.document.root, around);
  }
}

/** A document as it stands, drawn anew only where it has changed since. */
export const drawDocument = (root: Node, around: Surroundings): VNode => (
  <Memo version={root.version} draw={() => drawNodes(root.children, around)} />
);
