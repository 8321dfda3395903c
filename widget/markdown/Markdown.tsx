import type { Signal } from '@preact/signals';
import { Component, createContext, Fragment, type ComponentChildren, type VNode } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import { safeAddress } from './address.ts';
import type { Block } from './block.ts';
import { createDocument, type MarkdownDocument } from './document.ts';
import type { Inline } from './inline.ts';

/** What a reader of the document may do with what stands in it. */
export interface Surroundings {
  /** Draws the place of a citation. */
  marker: (key: string) => VNode;
  /** The names of parts that scroll by themselves. */
  code: string;
  table: string;
}

export const Around = createContext<Surroundings>(undefined as never);

function Marker({ marker }: { marker: string }): VNode {
  return useContext(Around).marker(marker);
}

function Link({ href, title, children }: { href: string; title: string; children: ComponentChildren }): VNode {
  const address = safeAddress(href);
  if (!address) return <Fragment>{children}</Fragment>;
  return (
    <a href={address} title={title || undefined} target="_blank" rel="noopener nofollow">
      {children}
    </a>
  );
}

const TAGS = { strong: 'strong', emphasis: 'em', strike: 's' } as const;

function drawInline(node: Inline, key: number): ComponentChildren {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'code':
      return <code key={key}>{node.text}</code>;
    case 'break':
      return <br key={key} />;
    case 'marker':
      return <Marker key={key} marker={node.key} />;
    case 'link':
      return (
        <Link key={key} href={node.href} title={node.title}>
          {node.children.map(drawInline)}
        </Link>
      );
    case 'image':
      return (
        <Link key={key} href={node.src} title={node.title}>
          {node.alt || node.src}
        </Link>
      );
    default: {
      const Tag = TAGS[node.kind];
      return <Tag key={key}>{node.children.map(drawInline)}</Tag>;
    }
  }
}

function Code({ block }: { block: Block }): VNode {
  const { code } = useContext(Around);
  return (
    <pre tabIndex={0} role="group" aria-label={block.info || code} data-language={block.info || undefined}>
      <code>{block.text}</code>
    </pre>
  );
}

function Table({ block: { rows, align } }: { block: Block }): VNode {
  const { table } = useContext(Around);
  const [head, ...body] = rows;
  const style = (column: number): { textAlign: string } | undefined =>
    align[column] ? { textAlign: align[column] } : undefined;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={table}>
      <table>
        <thead>
          <tr>
            {head?.map((cell, column) => (
              <th scope="col" style={style(column)}>
                {cell.map(drawInline)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td style={style(column)}>{cell.map(drawInline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Below the panel's own heading, whatever level the answer starts at. */
function Heading({ block }: { block: Block }): VNode {
  return (
    <div class={`heading level-${block.level}`} role="heading" aria-level={Math.max(3, block.level + 1)}>
      {block.inline.map(drawInline)}
    </div>
  );
}

function drawBlock(block: Block): ComponentChildren {
  const children = (): ComponentChildren =>
    block.children.map((child, at) => <Part key={at} block={child} version={child.version} />);
  switch (block.kind) {
    case 'paragraph':
      return block.inline.length > 0 ? <p>{block.inline.map(drawInline)}</p> : null;
    case 'heading':
      return <Heading block={block} />;
    case 'code':
      return <Code block={block} />;
    case 'table':
      return <Table block={block} />;
    case 'rule':
      return <hr />;
    case 'quote':
      return <blockquote>{children()}</blockquote>;
    case 'item':
      return <li>{children()}</li>;
    case 'list': {
      const style = block.isLoose ? 'loose' : undefined;
      if (block.level < 0) return <ul class={style}>{children()}</ul>;
      return (
        <ol class={style} start={block.level}>
          {children()}
        </ol>
      );
    }
    default:
      return children();
  }
}

interface PartProps {
  block: Block;
  version: number;
}

/** One block: drawn again only when its version has grown, so a finished one is never touched. */
class Part extends Component<PartProps> {
  override shouldComponentUpdate(next: PartProps): boolean {
    return next.block !== this.props.block || next.version !== this.props.version;
  }

  override render({ block }: PartProps): ComponentChildren {
    return drawBlock(block);
  }
}

interface Growing {
  document: MarkdownDocument;
  seen: string;
  isEnded: boolean;
}

const begin = (): Growing => ({ document: createDocument(), seen: '', isEnded: false });

/** Brings the document up to the text: what is new is written, another text starts another document. */
function grow(growing: Growing, text: string, isWhole: boolean): Growing {
  const isNew = growing.isEnded ? text !== growing.seen : !text.startsWith(growing.seen);
  const current = isNew ? begin() : growing;
  if (text.length > current.seen.length) current.document.write(text.slice(current.seen.length));
  current.seen = text;
  if (isWhole && !current.isEnded) current.document.end();
  current.isEnded ||= isWhole;
  return current;
}

export interface MarkdownProps {
  text: Signal<string>;
  /** No more text comes. */
  isWhole: boolean;
}

export function Markdown({ text, isWhole }: MarkdownProps): VNode {
  const growing = useRef<Growing>(undefined);
  growing.current = grow(growing.current ?? begin(), text.value, isWhole);
  const { root } = growing.current.document;
  return <Part block={root} version={root.version} />;
}
