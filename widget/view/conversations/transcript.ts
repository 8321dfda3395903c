import type { Citations, VisitorMessage } from '../../../server/types.ts';
import type { PanelWords } from '../../words/en.ts';

/** A conversation as plain text: each question, its answer and the sources that it cites. */
export function transcriptOf(messages: VisitorMessage[], words: PanelWords, lang: string): string {
  const blocks = messages.map(({ created_at, query, response, cite_data_json }) => {
    const sources = Object.entries(JSON.parse(cite_data_json) as Citations).map(
      ([marker, { title, file_name }]) => `[${marker}] ${title} – ${file_name}`,
    );
    return [
      new Date(created_at).toLocaleString(lang),
      `${words.field}: ${query}`,
      `${words.answer}: ${response}`,
      sources.join('\n'),
    ]
      .filter(Boolean)
      .join('\n\n');
  });
  return `${blocks.join('\n\n---\n\n')}\n`;
}
