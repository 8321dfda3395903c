/** `same page`: another source of the chatbot is this page already, under another address. */
type UnreadableReason = 'no text' | 'content type' | 'same page';

/** Why nothing can be learned from what is there, in the words that follow `error:` in a source's status. */
export class Unreadable extends Error {
  readonly reason: UnreadableReason;

  /** `detail`: what is wrong with it, for its owner to read. */
  constructor(reason: UnreadableReason, detail: string = reason) {
    super(detail);
    this.reason = reason;
  }
}
