import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = 'server/docs';

/** The README and the guides: their text by path. */
export const texts: Record<string, string> = Object.fromEntries(
  ['README.md', ...readdirSync(GUIDES).map((name) => join(GUIDES, name))]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readFileSync(path, 'utf8')]),
);

export const textOf = (guide: string): string => texts[`${GUIDES}/${guide}.md`] ?? '';

/** The fenced blocks of this language, in their order. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');
