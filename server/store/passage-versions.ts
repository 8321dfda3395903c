import type { StoredSource } from './source-records.ts';

/**
 * A number for each chatbot, raised in the transaction of each change of its passages, their vectors and titles; 0 before the
 * first. The topic `passages` of the bus tells of it.
 */
export interface PassageVersions {
  /** As it was when this process last read the chatbot, which every question does first; 0 before that. Costs no query. */
  known(chatbot: string): number;
  version(chatbot: string): Promise<number>;
  /**
   * The version now, and the sources that were changed after `version`, by uuid: undefined for those that are gone. Undefined
   * where the chatbot is gone. For a `version` of the last week.
   */
  changedSince(
    chatbot: string,
    version: number,
  ): Promise<{ version: number; sources: ReadonlyMap<string, StoredSource | undefined> } | undefined>;
}
