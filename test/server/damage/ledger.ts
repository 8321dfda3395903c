import type { VisitorMessage } from '../../../server/types.ts';

/** What a server has acknowledged, kept outside it, and what it may say of the rest after it was killed. */
export class Ledger {
  /** Message by uuid, as its `done` event gave it. */
  readonly done = new Map<string, VisitorMessage>();
  /** Plain streams that came to their end: session → query → text. */
  readonly streamed = new Map<string, Map<string, string>>();
  readonly chatbots = new Map<string, string>();
  readonly sources = new Map<string, string>();
  readonly sessions = new Set<string>();
  readonly deleted = new Set<string>();
  /** Requests that the kill cut. */
  cut = 0;
  readonly #sessionOf = new Map<string, string>();

  recordDone(session: string, message: VisitorMessage): void {
    this.done.set(message.uuid, message);
    this.#sessionOf.set(message.uuid, session);
    this.sessions.add(session);
  }

  recordStreamEnd(session: string, query: string, text: string): void {
    const texts = this.streamed.get(session) ?? new Map<string, string>();
    this.streamed.set(session, texts.set(query, text));
  }

  get acknowledged(): number {
    const plain = [...this.streamed.values()].reduce((sum, texts) => sum + texts.size, 0);
    return this.done.size + plain + this.chatbots.size + this.sources.size + this.sessions.size + this.deleted.size;
  }

  /** What is wrong with a session's messages as they are listed after a restart. */
  faultsOf(session: string, listed: VisitorMessage[], whole: (query: string) => string): string[] {
    const lost = [...this.done.values()]
      .filter((message) => this.#sessionOf.get(message.uuid) === session)
      .filter((message) => !listed.some((one) => matches(one, message)))
      .map((message) => `acknowledged by its done event: ${JSON.stringify(message)}`);
    const cutShort = [...(this.streamed.get(session) ?? [])]
      .filter(([query, response]) => !listed.some((one) => matches(one, { query, response, finish_reason: 'stop' })))
      .map(([query, text]) => `acknowledged by its stream's end: ${query}: ${text}`);
    return [...lost, ...cutShort, ...listed.flatMap((message) => faultsOfPartial(message, whole(message.query)))];
  }
}

/** It has what was acknowledged; a key holder sees more keys than a visitor, and the outcome in `meta_json`. */
function matches(listed: VisitorMessage & { meta_json?: string }, acknowledged: Partial<VisitorMessage>): boolean {
  const seen: Partial<VisitorMessage> = { ...JSON.parse(listed.meta_json ?? '{}'), ...listed };
  return Object.entries(acknowledged).every(([key, value]) => seen[key as keyof VisitorMessage] === value);
}

/** An answer is there whole, or it says that it was interrupted and holds a beginning of the whole. */
function faultsOfPartial({ uuid, finish_reason, response }: VisitorMessage, whole: string): string[] {
  const right =
    finish_reason === 'interrupted' ? whole.startsWith(response) : finish_reason === 'stop' && response === whole;
  return right ? [] : [`half there: ${uuid} ${finish_reason} ${response}`];
}
