import { Refusal } from '../../schema/errors.ts';

/** Another source of the chatbot, which cannot be read, has the address or the content. Nothing was stored. */
export class HeldByUnreadable extends Refusal {
  constructor(source: string) {
    super(
      'conflict',
      `source ${source} has the same address or content and cannot be read: have it restored from a backup, or its row deleted`,
    );
  }
}
