import { createDocument } from '../../../widget/markdown/document.ts';
import { plainText, type Node } from '../../../widget/markdown/node.ts';

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

const titled = (title = ''): string => (title ? ` title="${escape(title)}"` : '');
const all = (nodes: Node[]): string => nodes.map(html).join('');

function table({ children }: Node): string {
  const cell = ({ kind, align, children: inside }: Node): string =>
    `<${kind}${align ? ` align="${align}"` : ''}>${all(inside)}</${kind}>\n`;
  const [head, ...body] = children.map((row) => `<tr>\n${row.children.map(cell).join('')}</tr>\n`);
  return `<table>\n<thead>\n${head}</thead>\n${body.length > 0 ? `<tbody>\n${body.join('')}</tbody>\n` : ''}</table>\n`;
}

const box = ({ level }: Node): string =>
  level ? `<input ${level > 1 ? 'checked="" ' : ''}disabled="" type="checkbox"> ` : '';

function item({ children }: Node, isLoose = false): string {
  const parts = children.map((child, at) => {
    if (child.kind === 'p' && !isLoose) return `${at ? '\n' : ''}${box(child)}${all(child.children)}`;
    return `${at && children[at - 1]!.kind !== 'p' && !isLoose ? '' : '\n'}${html(child)}`;
  });
  return `<li>${parts.join('')}</li>\n`;
}

const endsWithBlank = ({ endsBlank, kind, children }: Node): boolean =>
  endsBlank || (/^li|^[uo]l/.test(kind) && children.length > 0 && endsWithBlank(children.at(-1)!));

/** Blank lines stand between its items, or between the blocks of one. */
const isLooseList = (items: Node[]): boolean =>
  items.slice(0, -1).some(endsWithBlank) || items.some(({ children }) => children.slice(0, -1).some(endsWithBlank));

function list({ kind, children, level }: Node): string {
  const isLoose = isLooseList(children);
  const items = children.map((one) => item(one, isLoose)).join('');
  if (kind === 'ul') return `<ul>\n${items}</ul>\n`;
  return `<ol${level === 1 ? '' : ` start="${level}"`}>\n${items}</ol>\n`;
}

function html(node: Node): string {
  const { kind, text, children, level, href, title } = node;
  const inside = all(children);
  if (kind === 'text' || kind === 'sign') return escape(text);
  if (kind === 'code') return `<code>${inside}</code>`;
  if (kind === 'br') return '<br />\n';
  if (kind === 'hr') return '<hr />\n';
  if (kind === 'marker') return `[${plainText(node)}]`;
  if (kind === 'link') return `<a href="${address(href!)}"${titled(title)}>${inside}</a>`;
  if (kind === 'image') return `<img src="${address(href!)}" alt="${escape(plainText(node))}"${titled(title)} />`;
  if (kind === 's') return `<del>${inside}</del>`;
  if (kind === 'em' || kind === 'strong') return inside && `<${kind}>${inside}</${kind}>`;
  if (kind === 'p') return inside && `<p>${box(node)}${inside}</p>\n`;
  if (kind === 'heading') return `<h${level}>${inside}</h${level}>\n`;
  if (kind === 'blockquote') return `<blockquote>\n${inside}</blockquote>\n`;
  if (kind === 'pre')
    return `<pre><code${title ? ` class="language-${escape(title)}"` : ''}>${inside}${children[0] ? '\n' : ''}</code></pre>\n`;
  if (kind === 'table') return table(node);
  if (kind === 'ul' || kind === 'ol') return list(node);
  return inside;
}

/** White space between tags says nothing, but for code. */
export const normal = (written: string): string =>
  written
    .split(/(<pre>[^]*?<\/pre>)/)
    .map((part) => (part.startsWith('<pre>') ? part : part.replace(/\s*\n\s*(?=<|$)|(?<=>|^)\s*\n\s*/g, '')))
    .join('')
    .trim();

export function toHtml(chunks: string[], isEnded = true): string {
  const document = createDocument();
  for (const chunk of chunks) document.write(chunk);
  if (isEnded) document.end();
  return html(document.root);
}
