import type { Found, SearchResult, SearchTrace } from '../../knowledge/search/found.ts';
import type { ModelRequest } from '../../model/model.ts';
import type { Rewritten } from '../retrieve/rewrite.ts';
import type { StoredAgent, StoredMessage } from '../../store/store.ts';

/** What of the context of an answer is told. */
export interface TracedContext extends SearchResult {
  question: { acceptedLanguages?: readonly string[] };
  agents: StoredAgent[];
  agent: StoredAgent | undefined;
  turns: StoredMessage[];
  talk: object | undefined;
  rewritten: Rewritten | undefined;
}

/**
 * Keeps how one question is answered. The answer itself calls it with what it uses; a question without one costs nothing
 * for it.
 */
export class AnswerTrace {
  context: TracedContext | undefined;
  search: SearchTrace | undefined;
  /** The passages that the model got, and the request itself. */
  given: readonly Found[] = [];
  request: ModelRequest | undefined;

  readonly onSearch = (search: SearchTrace): void => {
    this.search = search;
  };

  begin(context: TracedContext): void {
    this.context = context;
  }

  give(passages: readonly Found[], request: ModelRequest): void {
    this.given = passages;
    this.request = request;
  }
}
