import type { DocentServer } from '../boot.ts';
import { listeningAt } from '../config.ts';
import type { Demo } from '../demo/demo.ts';
import type { Citations } from '../types.ts';

type Write = (words: string) => void;

/**
 * What a person sees in the terminal: on the first start the demo answering one question and a link to the console, and at
 * last the address and the key. The key is made when it is shown: a start that fails before loses none.
 */
export async function printWelcome(server: DocentServer, write: Write): Promise<void> {
  const { config, demo, base, log, firstKey, loginLink } = server;
  if (demo) await showDemo(demo, { base, log }, write);
  const key = await firstKey();
  // The key is shown even where a link cannot be stored.
  const link = key === undefined ? undefined : await loginLink().catch(() => undefined);
  if (link !== undefined) write(`This link opens the console, once and within 30 minutes:\n  ${link}\n`);
  const listening = listeningAt(config);
  if (base !== listening) write(`Docent listens at ${listening} for ${base}\n`);
  else if (!demo) write(`Docent listens at ${base}\n`);
  if (demo) write(`The demo is at ${base}/demo/\n`);
  if (key === undefined && config.console) write('To sign in to the console, run: docent login\n');
  if (key !== undefined) write(`Your API key, shown this once: ${key}\n`);
}

/** The same, written at once: where greeting and log are read as one text, no line of the log stands within it. */
export async function printWelcomeAtOnce(server: DocentServer, write: Write): Promise<void> {
  let text = '';
  try {
    await printWelcome(server, (words) => void (text += words));
  } finally {
    server.log.flush();
    write(text);
  }
}

async function showDemo(demo: Demo, { base, log }: Pick<DocentServer, 'base' | 'log'>, write: Write): Promise<void> {
  const { chatbot, created } = await demo.prepare();
  if (!created) return;
  write('The demo is reading its pages …\n');
  await demo.learned(30_000);
  const ask = `curl -N ${base}/chat/${chatbot}/ask -H 'Content-Type: application/json'`;
  try {
    write(`\n  ${demo.sampleQuestion}\n  `);
    const message = await demo.ask(indented(write));
    write(`\n\n${sourcesOf(message.cite_data_json)}\n`);
  } catch (error) {
    log.warn({ err: error }, 'the demo was not asked');
  }
  write(`Ask it yourself:\n  ${ask} -d '${JSON.stringify({ query: demo.sampleQuestion })}'\n\n`);
}

/** Each line that has words two spaces in, however they come; the first is begun already. */
function indented(write: Write): Write {
  let isBegun = true;
  return (words) => {
    for (const piece of words.match(/\n|[^\n]+/g) ?? []) {
      write(isBegun || piece === '\n' ? piece : `  ${piece}`);
      isBegun = piece !== '\n';
    }
  };
}

function sourcesOf(citeData: string): string {
  const cited = Object.entries(JSON.parse(citeData) as Citations);
  return cited
    .map(([marker, { title, file_name }]) => `  [${marker}] ${[title, file_name].filter(Boolean).join(': ')}\n`)
    .join('');
}
