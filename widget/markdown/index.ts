/** Entry point of `docent/markdown`: streaming Markdown for Preact. */
export { createDocument, type MarkdownDocument } from './document.ts';
export { drawDocument, Markdown, type MarkdownProps, type Surroundings } from './Markdown.tsx';
export type { Align, Node, NodeKind } from './node.ts';
