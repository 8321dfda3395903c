/**
 * A file a chatbot that keeps its search index between two starts, as a cache: without it the index is built from the stored
 * texts. It holds words of these: when one is changed or deleted, the file is removed before.
 */
export interface IndexFiles {
  /** Undefined where there is none. */
  read(chatbot: string): Promise<Uint8Array | undefined>;
  /** Tells the stored text of a source from any other of it; '' where there is none. */
  version(source: string): string;
  /**
   * Writes the file of a chatbot, durably. To be called before the texts are read: what it returns writes nothing where one of
   * them was changed or deleted since, or where `isCurrent` says false, which is asked before each piece.
   */
  writer(chatbot: string): (pieces: Iterable<Uint8Array>, isCurrent: () => boolean) => Promise<void>;
}
