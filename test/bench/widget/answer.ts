/** A text as a model writes it, in Markdown; every word of its prose is another one, so that what is shown can be compared with it. */
export function answerOf(bytes: number): string {
  const parts: string[] = [];
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
  // The last paragraph is of words alone, so that the end stands there before anybody says that it is the end.
  for (let at = 0, length = 0; length < bytes - 700; at++) {
    const part = kinds[at % kinds.length]!();
    parts.push(part);
    length += part.length + 2;
  }
  const text = `${parts.join('\n\n')}\n\n`;
  const rest = words(100)
    .slice(0, bytes - text.length - 1)
    .replace(/ \w*$/, '');
  return `${text}${rest}`.padEnd(bytes, '.');
}

export const cut = (text: string, length: number): string[] => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];

const wordsOf = (text: string): string => (text.match(/w\d+/g) ?? []).join(' ');

/** Throws unless every word of the answer is shown, once and in its place. */
export function checkShown(who: string, shown: string, answer: string): void {
  // Cells of a table and neighbouring blocks stand side by side in a text content.
  const spaced = shown.replaceAll('w', ' w');
  if (wordsOf(spaced) !== wordsOf(answer))
    throw new Error(`${who} did not show the whole answer: ${shown.slice(-200)}`);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
