import { writeQuotes } from '../../server/answer/extract/write.ts';
import type { Found, SearchResult } from '../../server/knowledge/search/found.ts';
import { readHtml } from '../../server/knowledge/readers/html/html.ts';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { chunked } from '../../server/knowledge/ingest/chunk.ts';
import { stemsFor } from '../../server/knowledge/text/stems.ts';
import type { Citations } from '../../server/types.ts';
import { searchIndex } from './search.ts';

type Source = Found['source'];

export interface Site {
  search(query: string): SearchResult;
  /** The answer that a chatbot without a model gives, and what it cites. */
  answer(query: string): Promise<{ text: string; citations: Citations }>;
}

/** A site of HTML pages by name, read, indexed and searched as the server does it, and `qa`: questions with their answers. */
export async function siteOf(pages: Record<string, string>, qa: Record<string, string> = {}): Promise<Site> {
  const index = new PassageIndex<Source>();
  for (const [name, html] of Object.entries(pages)) {
    const document = await chunked(await readHtml(html));
    await stemsFor(document.text);
    const source = {
      uuid: name,
      title: document.title || name,
      file_name: `https://shop.example/${name}`,
      type: 'link',
    };
    index.put(name, source, { ...document, address: source.file_name });
  }
  for (const [question, answer] of Object.entries(qa)) {
    const passages = [{ headings: [question], start: question.length + 2, end: question.length + 2 + answer.length }];
    const source = { uuid: question, title: question, file_name: '', type: 'qa' };
    index.put(question, source, { title: question, text: `${question}\n\n${answer}`, passages }, question);
  }
  const search = (query: string): SearchResult => searchIndex(index, query);
  return {
    search,
    async answer(query) {
      const paper = { text: '', length: 0, stopped: false, append };
      function append(piece: string): void {
        paper.text += piece;
        paper.length = paper.text.length;
      }
      const { citations } = await writeQuotes({ ...search(query), cite: true }, paper);
      return { text: paper.text, citations };
    },
  };
}
