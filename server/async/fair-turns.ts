/** Lets a few at a time do what costs much, users in rotation: one who brings a thousand delays nobody else's first. */
export class FairTurns {
  readonly #most: number;
  #running = 0;
  /** By user, who moves to the end with each turn. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when it is this user's turn, with the function that ends the turn; to be called once. */
  async take(user: string): Promise<() => void> {
    if (this.#running < this.#most) this.#running++;
    else await new Promise<void>((begin) => this.#line(user).push(begin));
    return () => this.#next();
  }

  #line(user: string): (() => void)[] {
    const line = this.#waiting.get(user) ?? [];
    this.#waiting.set(user, line);
    return line;
  }

  #next(): void {
    const [first] = this.#waiting;
    if (!first) return void this.#running--;
    const [user, line] = first;
    const begin = line.shift()!;
    this.#waiting.delete(user);
    if (line.length > 0) this.#waiting.set(user, line);
    begin();
  }
}
