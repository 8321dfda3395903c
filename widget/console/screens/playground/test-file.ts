import type { Trace } from '../../records.ts';

/** A file of `docent test` that says of the answer what a later one must hold: who answers, from where, and whether it is known. */
export function testFile(chatbot: string, query: string, trace: Trace): string {
  const cites = [...new Set(trace.citations.map(({ address, title }) => address || title).filter(Boolean))];
  const isUnknown = trace.outcome === 'unknown';
  // A string of JSON is one of YAML.
  return [
    `chatbot: ${JSON.stringify(chatbot)}`,
    'conversations:',
    `  - name: ${JSON.stringify(query)}`,
    '    turns:',
    `      - ask: ${JSON.stringify(query)}`,
    ...(trace.agent.name ? [`        agent: ${JSON.stringify(trace.agent.name)}`] : []),
    ...(cites.length > 0 ? [`        cites: ${JSON.stringify(cites)}`] : []),
    '        answer:',
    `          quotes: ${cites.length > 0}`,
    `          unknown: ${isUnknown}`,
    '',
  ].join('\n');
}

/** `how-long-may-i-return-a-lamp.yaml` */
export function testFileName(query: string): string {
  const words = query.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
  return `${words.slice(0, 60).replace(/^-+|-+$/g, '') || 'question'}.yaml`;
}
