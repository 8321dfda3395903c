import { Marked, Renderer } from 'marked';
import { guides, type GuideName } from './guides.ts';

/** Renders a guide as a page without scripts. Its links are relative, so that it works under any path of a proxy. */
export function renderGuide(name: GuideName, markdown: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${guides[name]} · Docent</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<header><nav aria-label="Guides">
${menu(name).join('\n')}
</nav></header>
<main>
${bodyOf(markdown)}</main>
</body>
</html>
`;
}

const menu = (current: GuideName): string[] => [
  '<a href="../docs">API reference</a>',
  ...Object.entries(guides).map(
    ([name, title]) => `<a href="${name}"${name === current ? ' aria-current="page"' : ''}>${title}</a>`,
  ),
];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

/** The fragment that GitHub gives a heading, so that a link works in both places. */
const fragmentOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function bodyOf(markdown: string): string {
  let section = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        section = text.replaceAll('`', '');
        return `<h${depth} id="${fragmentOf(section)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = href.replace(/^([a-z]+)\.md(?=#|$)/, '$1');
        return `<a href="${escaped(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
      // What scrolls sideways takes the focus, so that keys can scroll it.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      table(token) {
        const table = Renderer.prototype.table.call(this, token);
        return `<div class="scroll" role="region" aria-label="Table: ${escaped(section)}" tabindex="0">${table}</div>\n`;
      },
      html: () => '',
    },
  });
  return marked.parse(markdown, { async: false });
}
