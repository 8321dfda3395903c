/** `same page`: another source of the chatbot is this page already, under another address. */
type UnreadableReason = 'no text' | 'content type' | 'same page';

/** Why nothing can be learned from what is there, in the words that follow `error:` in a source's status. */
export class Unreadable extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason) {
    super(reason);
    this.reason = reason;
  }
}
