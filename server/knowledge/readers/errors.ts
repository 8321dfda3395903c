/** `same page`: another source of the chatbot is this page already, under another address. */
type UnreadableReason = 'no text' | 'content type' | 'same page';

/** The content cannot be ingested. `reason` is the part after `error:` of the source's status. */
export class Unreadable extends Error {
  readonly reason: UnreadableReason;

  /** `detail`: a sentence for the source's owner. */
  constructor(reason: UnreadableReason, detail: string = reason) {
    super(detail);
    this.reason = reason;
  }
}
