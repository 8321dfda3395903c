import type { Block } from '../../widget/markdown/block.ts';
import { createDocument } from '../../widget/markdown/document.ts';
import type { Inline } from '../../widget/markdown/inline.ts';

/** The document as HTML in the words of the CommonMark specification, to compare with its examples. */

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? char);

const address = (href: string): string =>
  escape(
    encodeURI(href)
      .replace(/%25([\da-fA-F]{2})/g, '%$1')
      .replace(/\[/g, '%5B')
      .replace(/\]/g, '%5D'),
  );

const titled = (title: string): string => (title ? ` title="${escape(title)}"` : '');

function inlineHtml(nodes: Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return escape(node.text);
      if (node.kind === 'code') return `<code>${escape(node.text)}</code>`;
      if (node.kind === 'break') return '<br />\n';
      if (node.kind === 'marker') return `[${node.key}]`;
      if (node.kind === 'link')
        return `<a href="${address(node.href)}"${titled(node.title)}>${inlineHtml(node.children)}</a>`;
      if (node.kind === 'image')
        return `<img src="${address(node.src)}" alt="${escape(node.alt)}"${titled(node.title)} />`;
      const tag = node.kind === 's' ? 'del' : node.kind;
      return `<${tag}>${inlineHtml(node.children)}</${tag}>`;
    })
    .join('');
}

function tableHtml({ rows, align }: Block): string {
  const cells = (row: Inline[][], tag: string): string =>
    row
      .map(
        (cell, column) => `<${tag}${align[column] ? ` align="${align[column]}"` : ''}>${inlineHtml(cell)}</${tag}>\n`,
      )
      .join('');
  const [head, ...body] = rows.map((row, at) => `<tr>\n${cells(row, at ? 'td' : 'th')}</tr>\n`);
  return `<table>\n<thead>\n${head}</thead>\n${body.length > 0 ? `<tbody>\n${body.join('')}</tbody>\n` : ''}</table>\n`;
}

function itemHtml(item: Block, isLoose: boolean): string {
  const parts = item.children.map((child) =>
    child.kind === 'p' && !isLoose ? inlineHtml(child.inline) : `\n${blockHtml(child)}`,
  );
  const inside = parts.join('').replace(/\n\n/g, '\n');
  return `<li>${inside}</li>\n`;
}

function blockHtml(block: Block): string {
  const inside = (): string => block.children.map(blockHtml).join('');
  switch (block.kind) {
    case 'p':
      return `<p>${inlineHtml(block.inline)}</p>\n`;
    case 'heading':
      return `<h${block.level}>${inlineHtml(block.inline)}</h${block.level}>\n`;
    case 'code': {
      const language = block.info ? ` class="language-${escape(block.info)}"` : '';
      return `<pre><code${language}>${escape(block.text)}</code></pre>\n`;
    }
    case 'hr':
      return '<hr />\n';
    case 'blockquote':
      return `<blockquote>\n${inside()}</blockquote>\n`;
    case 'table':
      return tableHtml(block);
    case 'list': {
      const items = block.children.map((item) => itemHtml(item, block.isLoose)).join('');
      if (block.level < 0) return `<ul>\n${items}</ul>\n`;
      return `<ol${block.level === 1 ? '' : ` start="${block.level}"`}>\n${items}</ol>\n`;
    }
    default:
      return inside();
  }
}

/** White space between tags says nothing. */
export const normal = (html: string): string => html.replace(/\s*\n\s*(?=<)|(?<=>)\s*\n\s*/g, '').trim();

export function toHtml(chunks: string[], isEnded = true): string {
  const document = createDocument();
  for (const chunk of chunks) document.write(chunk);
  if (isEnded) document.end();
  return blockHtml(document.root);
}
