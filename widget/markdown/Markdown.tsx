import type { Signal } from '@preact/signals';
import { Component, type ComponentChildren, type VNode } from 'preact';
import { isHostIn, safeAddress } from './address.ts';
import { Copy } from './Copy.tsx';
import { createDocument, type MarkdownDocument } from './document.ts';
import { plainOf, type Node } from './node.ts';

/** What a document needs of the room it stands in. */
export interface Surroundings {
  /** Draws the place of a citation, `[1]`. */
  marker: (key: string) => ComponentChildren;
  /** The names of parts that scroll by themselves, and of the button on code. */
  words: { code: string; table: string; copy: string; copied: string };
  /** Hosts whose images are shown, `*.example.com` among them; an image from elsewhere is a link. */
  imageHosts?: readonly string[] | undefined;
  /** Inside a link stands no other one. */
  isLinked?: boolean;
}

interface StillProps {
  of: Node;
  version: number;
  draw: () => ComponentChildren;
}

/** Drawn again only when its version has changed, so what is finished is never touched. */
class Still extends Component<StillProps> {
  override shouldComponentUpdate(next: StillProps): boolean {
    return next.of !== this.props.of || next.version !== this.props.version;
  }

  override render({ draw }: StillProps): ComponentChildren {
    return draw();
  }
}

/** So many nodes are drawn side by side; more are in groups of as many, those in groups again. */
const GROUP = 16;

/**
 * Draws the nodes of a list from `from` on, which only grows at its end. Each level holds `GROUP` times more than the one before, so what is
 * drawn again when one comes is as good as the same at any length, and no node ever moves to another place.
 */
function drawAll(list: Node[], around: Surroundings, from = 0, end = list.length, step = 0): ComponentChildren[] {
  const drawn: ComponentChildren[] = [];
  let size = step || 1;
  for (let at = from; at < end; at += size) {
    if (!step && drawn.length && drawn.length % GROUP === 0) size *= GROUP;
    const node = list[at]!;
    const [first, next, inner] = [at, Math.min(end, at + size), size / GROUP];
    if (size > 1) {
      const version = next < list.length ? -1 : list[next - 1]!.version;
      drawn.push(<Still of={node} version={version} draw={() => drawAll(list, around, first, next, inner)} />);
    } else if (node.kind === 'text') drawn.push(node.text);
    else drawn.push(<Still of={node} version={node.version} draw={() => drawNode(node, around)} />);
  }
  return drawn;
}

function drawLink(href: string, title: string, children: ComponentChildren, around: Surroundings): ComponentChildren {
  const address = safeAddress(href);
  if (!address || around.isLinked) return children;
  return (
    <a href={address} title={title || undefined} target="_blank" rel="noopener nofollow">
      {children}
    </a>
  );
}

function drawImage({ href, title, text }: Node, around: Surroundings): ComponentChildren {
  if (!isHostIn(href, around.imageHosts)) return drawLink(href, title, text || href, around);
  return <img loading="lazy" referrerpolicy="no-referrer" src={href} alt={text} title={title || undefined} />;
}

function drawTable(list: Node[], around: Surroundings): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={around.words.table}>
      <table>
        <thead>{drawRow(list[0]!, 'th', around)}</thead>
        <tbody>{drawAll(list, around, 1)}</tbody>
      </table>
    </div>
  );
}

const drawRow = ({ children }: Node, Cell: 'th' | 'td', around: Surroundings): VNode => (
  <tr>
    {children.map(({ align, children: inside }) => (
      <Cell style={{ textAlign: align[0] }}>{drawAll(inside, around)}</Cell>
    ))}
  </tr>
);

function drawNode(node: Node, around: Surroundings): ComponentChildren {
  const { kind, level, text, children, href, title } = node;
  if (kind === 'marker') return around.marker(text);
  if (kind === 'codespan') return <code>{text}</code>;
  if (kind === 'image') return drawImage(node, around);
  if (kind === 'tr') return drawRow(node, 'td', around);
  if (kind === 'table') return drawTable(children, around);
  if (kind === 'link') return drawLink(href, title, drawAll(children, { ...around, isLinked: true }), around);
  // Neither what may become an image nor what may become a marker is shown.
  if (kind === 'bracket' && (level || (!children[1] && /^[\d.]*$/.test(plainOf(node))))) return null;
  const inside = drawAll(children, around);
  if (kind === 'document' || kind === 'bracket') return inside;
  if (kind === 'plain') return [text, inside];
  if (kind === 'heading')
    // Below the panel's own heading, whatever level the answer starts at.
    return (
      <div class={`heading level-${level}`} role="heading" aria-level={Math.max(3, level + 1)}>
        {inside}
      </div>
    );
  if (kind === 'code')
    return (
      <div class="code">
        <Copy words={around.words} text={() => children.map(plainOf).join('')} />
        <pre tabIndex={0} role="group" aria-label={text || around.words.code}>
          <code>{inside}</code>
        </pre>
      </div>
    );
  if (kind === 'p' && level)
    return (
      <p class="task">
        <label>
          <input type="checkbox" disabled checked={level > 1} /> {inside}
        </label>
      </p>
    );
  if (!children[0] && kind !== 'hr' && kind !== 'br' && kind !== 'li') return null;
  const Tag = kind !== 'list' ? kind : level < 0 ? 'ul' : 'ol';
  return <Tag start={Tag === 'ol' ? level : undefined}>{inside}</Tag>;
}

export interface MarkdownProps extends Surroundings {
  text: Signal<string>;
  /** No more text comes. */
  isWhole: boolean;
}

/** A text that grows: what is new of it is written to its document; another text is another document. */
export class Markdown extends Component<MarkdownProps> {
  private document!: MarkdownDocument;
  private seen: string | undefined;
  private isEnded = false;

  override render({ text: { value }, isWhole, ...around }: MarkdownProps): VNode {
    if (this.seen === undefined || (this.isEnded ? value !== this.seen : !value.startsWith(this.seen))) {
      this.document = createDocument();
      this.seen = '';
      this.isEnded = false;
    }
    if (value !== this.seen) this.document.write(value.slice(this.seen.length));
    if (isWhole && !this.isEnded) this.document.end();
    this.seen = value;
    this.isEnded ||= isWhole;
    return <Drawn document={this.document} {...around} />;
  }
}

/** A document as it stands. */
export const Drawn = ({ document: { root }, ...around }: Surroundings & { document: MarkdownDocument }): VNode => (
  <Still of={root} version={root.version} draw={() => drawNode(root, around)} />
);
