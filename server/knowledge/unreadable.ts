/** Why nothing can be learned from what is there, in the words that follow `error:` in a source's status. */
export class Unreadable extends Error {
  readonly reason: 'no text' | 'content type';

  constructor(reason: 'no text' | 'content type') {
    super(reason);
    this.reason = reason;
  }
}
