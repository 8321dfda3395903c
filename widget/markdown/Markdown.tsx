import type { Signal } from '@preact/signals';
import { Component, type ComponentChildren, type VNode } from 'preact';
import { safeAddress } from './address.ts';
import type { Block } from './block.ts';
import { createDocument } from './document.ts';
import type { Inline } from './inline.ts';

/** What a document needs of the room it stands in. */
export interface Surroundings {
  /** Draws the place of a citation. */
  marker: (key: string) => VNode;
  /** The names of parts that scroll by themselves. */
  words: { code: string; table: string };
}

function drawLink(href: string, title: string, children: ComponentChildren): ComponentChildren {
  const address = safeAddress(href);
  if (!address) return children;
  return (
    <a href={address} title={title || undefined} target="_blank" rel="noopener nofollow">
      {children}
    </a>
  );
}

function drawInline(nodes: Inline[], around: Surroundings): ComponentChildren[] {
  return nodes.map((node) => {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'code') return <code>{node.text}</code>;
    if (node.kind === 'break') return <br />;
    if (node.kind === 'marker') return around.marker(node.key);
    if (node.kind === 'image') return drawLink(node.src, node.title, node.alt || node.src);
    const children = drawInline(node.children, around);
    if (node.kind === 'link') return drawLink(node.href, node.title, children);
    const Tag = node.kind;
    return <Tag>{children}</Tag>;
  });
}

function drawTable({ rows, align }: Block, around: Surroundings): VNode {
  const row = (cells: Inline[][], Cell: 'th' | 'td'): VNode => (
    <tr>
      {cells.map((cell, column) => (
        <Cell style={{ textAlign: align[column] }}>{drawInline(cell, around)}</Cell>
      ))}
    </tr>
  );
  const [head, ...body] = rows;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={around.words.table}>
      <table>
        <thead>{row(head!, 'th')}</thead>
        <tbody>{body.map((cells) => row(cells, 'td'))}</tbody>
      </table>
    </div>
  );
}

function drawBlock(block: Block, around: Surroundings): ComponentChildren {
  const { kind, level } = block;
  const inline = drawInline(block.inline, around);
  const children = block.children.map((child) => <Part block={child} version={child.version} around={around} />);
  if (kind === 'heading')
    // Below the panel's own heading, whatever level the answer starts at.
    return (
      <div class={`heading level-${level}`} role="heading" aria-level={Math.max(3, level + 1)}>
        {inline}
      </div>
    );
  if (kind === 'code')
    return (
      <pre tabIndex={0} role="group" aria-label={block.info || around.words.code}>
        <code>{block.text}</code>
      </pre>
    );
  if (kind === 'table') return drawTable(block, around);
  if (kind === 'document') return children;
  if (kind === 'p' && !block.inline[0]) return null;
  const Tag = kind !== 'list' ? kind : level < 0 ? 'ul' : 'ol';
  return (
    <Tag start={Tag === 'ol' ? level : undefined}>
      {inline}
      {children}
    </Tag>
  );
}

interface PartProps {
  block: Block;
  version: number;
  around: Surroundings;
}

/** One block: drawn again only when its version has grown, so a finished one is never touched. */
class Part extends Component<PartProps> {
  override shouldComponentUpdate(next: PartProps): boolean {
    return next.block !== this.props.block || next.version !== this.props.version;
  }

  override render({ block, around }: PartProps): ComponentChildren {
    return drawBlock(block, around);
  }
}

export interface MarkdownProps extends Surroundings {
  text: Signal<string>;
  /** No more text comes. */
  isWhole: boolean;
}

/** A text that grows: what is new of it is written to its document; another text is another document. */
export class Markdown extends Component<MarkdownProps> {
  private document = createDocument();
  private seen = '';
  private isEnded = false;

  override render({ text: { value }, isWhole, ...around }: MarkdownProps): VNode {
    if (this.isEnded ? value !== this.seen : !value.startsWith(this.seen)) {
      this.document = createDocument();
      this.seen = '';
      this.isEnded = false;
    }
    if (value !== this.seen) this.document.write(value.slice(this.seen.length));
    if (isWhole && !this.isEnded) this.document.end();
    this.seen = value;
    this.isEnded ||= isWhole;
    const { root } = this.document;
    return <Part block={root} version={root.version} around={around} />;
  }
}
