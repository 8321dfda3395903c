import type { Signal } from '@preact/signals';
import { Component, type ComponentChildren, type TargetedMouseEvent, type VNode } from 'preact';
import { isAtHost, safeAddress } from './address.ts';
import { createDocument } from './document.ts';
import { plainText, type Node } from './node.ts';

/** What a document's renderer needs from its host. */
export interface Surroundings {
  /** Renders a citation marker, `[1]`. */
  marker: (key: string) => ComponentChildren;
  /** Accessible names of scrolling code and tables, and labels of the copy button. */
  words: { code: string; table: string; copy: string; copied: string };
  /** Hosts whose images are loaded, in lower case; `*.example.com` matches subdomains. Other images become links. */
  imageHosts?: readonly string[] | undefined;
  /** The `target` of a link to an address; all are `_blank` without it. */
  targetOf?: ((href: string) => string) | undefined;
  /** Inside a link: nested links are rendered as text. */
  isLinked?: boolean;
}

interface MemoProps {
  version: object;
  draw: () => ComponentChildren;
}

/** Renders again only when `version` has changed, so that finished blocks cost nothing per piece. */
class Memo extends Component<MemoProps> {
  override shouldComponentUpdate({ version }: MemoProps): boolean {
    return version !== this.props.version;
  }

  override render({ draw }: MemoProps): ComponentChildren {
    return draw();
  }
}

/** Nodes per group; groups nest, so that a list of n nodes costs O(log n) comparisons per piece. */
const GROUP_NODES = 16;

/**
 * Renders the nodes `from` to `end` of a list that changes at its end only. Group sizes grow by a factor of `GROUP_NODES`; a node
 * never moves to another group, so its elements are kept.
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
    // No line begins with a marker: it belongs to the word before it.
    const isTied = list[next]?.kind === 'marker';
    drawn.push((inner < 1 && (isTied ? text.replace(/ $/, '\u00a0') : text)) || <Memo version={version} draw={draw} />);
  }
  return drawn;
}

/** An image of an allowed host, else a link, else (unsafe address, or inside a link) the content alone. */
function drawLink(node: Node, inside: ComponentChildren, around: Surroundings): ComponentChildren {
  const { kind, href = '', title } = node;
  if (!safeAddress(href)) return inside;
  if (kind === 'image' && isAtHost(href, around.imageHosts))
    return <img loading="lazy" referrerpolicy="no-referrer" src={href} alt={plainText(node)} />;
  if (around.isLinked) return inside;
  return (
    <a href={href} title={title} target={around.targetOf?.(href) ?? '_blank'} rel="noopener nofollow">
      {inside}
    </a>
  );
}

/** A scroll container that is focusable and has an accessible name. */
const drawScrolling = (name: string, inside: ComponentChildren): VNode => (
  <div class="scroll" tabIndex={0} role="group" aria-label={name}>
    {inside}
  </div>
);

/** A code block with a copy button, which is left out where the Clipboard API is missing. */
function drawCode(name: string | undefined, inside: ComponentChildren, { words }: Surroundings): VNode {
  const clipboard = globalThis.navigator?.clipboard;
  const copy = ({ currentTarget: button }: TargetedMouseEvent<HTMLElement>): void => {
    // Refused: the code can still be selected by hand.
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
    <div class="code" data-name={name || words.code}>
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
  // The panel's heading is h2: an answer's start at h3.
  const Tag = (kind === 'heading' ? `h${'334566'[level - 1]}` : kind) as 'ol';
  return (
    <Tag start={Tag === 'ol' ? level : undefined} style={align && { textAlign: align }}>
      {inside}
    </Tag>
  );
}

export interface MarkdownProps extends Surroundings {
  text: Signal<string>;
  /** The text is complete. */
  isWhole: boolean;
  /** The piece last appended. With it the cost per piece does not depend on the length of `text`, which is not compared. */
  last?: () => string;
}

/** Renders growing Markdown: appended text is written to the document; any other change starts a new one. */
export class Markdown extends Component<MarkdownProps> {
  private document = createDocument();
  private seen = '';

  override render({ text: { value }, isWhole, last, ...around }: MarkdownProps): VNode {
    // The end mark makes a complete text differ from every longer one that starts with it.
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

/** Renders a document's current tree; only changed blocks are rendered again. */
export const drawDocument = (root: Node, around: Surroundings): VNode => (
  <Memo version={root.version} draw={() => drawNodes(root.children, around)} />
);
