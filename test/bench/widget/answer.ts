/** A Markdown answer of `bytes` characters. Its words are numbered, so that `checkShown` finds a missing or doubled one. */
export function createAnswer(bytes: number): string {
  const blocks: string[] = [];
  let word = 0;
  const words = (count: number): string => Array.from({ length: count }, () => `w${word++}`).join(' ');
  const kinds = [
    () => `## ${words(5)}`,
    () => `${words(30)} **${words(3)}** ${words(12)} [${words(2)}](https://shop.example.org/help) ${words(20)}.`,
    () => Array.from({ length: 4 }, () => `- ${words(9)} *${words(2)}*`).join('\n'),
    () => `${words(25)} \`${words(2)}\` ${words(25)}.`,
    () => `\`\`\`js\n${words(8)}\n${words(8)}\n\`\`\``,
    () => `| ${words(1)} | ${words(1)} |\n| --- | --- |\n| ${words(3)} | ${words(4)} |\n| ${words(3)} | ${words(4)} |`,
  ];
  // The last paragraph is plain words: Markdown at the end would be drawn only after the end of the stream.
  for (let at = 0, length = 0; length < bytes - 700; at++) {
    const block = kinds[at % kinds.length]!();
    blocks.push(block);
    length += block.length + 2;
  }
  const text = `${blocks.join('\n\n')}\n\n`;
  const rest = words(100)
    .slice(0, bytes - text.length - 1)
    .replace(/ \w*$/, '');
  return `${text}${rest}`.padEnd(bytes, '.');
}

export const splitEvery = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

const wordsOf = (text: string): string => (text.match(/w\d+/g) ?? []).join(' ');

/** Throws unless the words shown are those of the answer, in order. */
export function checkShown(name: string, shown: string, answer: string): void {
  // textContent puts no space between cells or blocks.
  const spaced = shown.replaceAll('w', ' w');
  if (wordsOf(spaced) !== wordsOf(answer))
    throw new Error(`${name} did not show the whole answer: ${shown.slice(-200)}`);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
