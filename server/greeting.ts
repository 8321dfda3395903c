import type { Booted } from './boot.ts';
import type { Citations } from './types.ts';

/** What a person sees in the terminal: the address, and on the first start the demo answering one question. */
export async function greet({ demo, base, log }: Booted, write: (words: string) => void): Promise<void> {
  if (!demo) return write(`Docent listens at ${base}\n`);
  const { chatbot, created } = await demo.prepare();
  write(`The demo is at ${base}/demo/\n`);
  if (!created) return;
  await demo.learned(30_000);
  const ask = `curl -N ${base}/chat/${chatbot}/ask -H 'Content-Type: application/json'`;
  try {
    write(`\n  ${demo.sampleQuestion}\n  `);
    const message = await demo.ask(write);
    write(`\n\n${sourcesOf(message.cite_data_json)}\n`);
  } catch (error) {
    log.warn({ err: error }, 'the demo was not asked');
  }
  write(`Ask it yourself:\n  ${ask} -d '${JSON.stringify({ query: demo.sampleQuestion })}'\n`);
}

function sourcesOf(citeData: string): string {
  const cited = Object.entries(JSON.parse(citeData) as Citations);
  return cited.map(([marker, { title, file_name }]) => `  [${marker}] ${title}: ${file_name}\n`).join('');
}
