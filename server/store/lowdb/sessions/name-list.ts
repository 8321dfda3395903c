import { orderOf, parseFileName, type SessionName } from './session-name.ts';

/** The names of one chatbot's sessions in one folder, in order of creation. */
export class NameList {
  readonly #names: string[];
  /** Of each name: read out of it once, since a comparison that does so takes ten times as long. */
  readonly #orders: number[];

  constructor(names: readonly string[]) {
    const all = names.map((name) => ({ name, order: orderOf(name) })).sort((a, b) => a.order - b.order);
    this.#names = all.map(({ name }) => name);
    this.#orders = all.map(({ order }) => order);
  }

  get names(): readonly string[] {
    return this.#names;
  }

  get orders(): readonly number[] {
    return this.#orders;
  }

  add(name: string): void {
    const order = orderOf(name);
    const at = this.firstAfter(order);
    this.#names.splice(at, 0, name);
    this.#orders.splice(at, 0, order);
  }

  remove(name: string): void {
    const at = this.#names.lastIndexOf(name, this.firstAfter(orderOf(name)) - 1);
    if (at < 0) return;
    this.#names.splice(at, 1);
    this.#orders.splice(at, 1);
  }

  /** The place of the first with a greater order. */
  firstAfter(order: number): number {
    let [low, high] = [0, this.#orders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#orders[middle]! > order) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/**
 * The names of all lists in one order, from behind this place among them to the last there is now. The lists may change
 * meanwhile: who was added then is left out.
 */
export function mergeByOrder(lists: readonly NameList[], after: number): Generator<SessionName> {
  const last = Math.max(-1, ...lists.map(({ orders }) => orders.at(-1) ?? -1));
  const places = lists.map((list) => list.firstAfter(after));
  return mergeFrom(lists, places, last);
}

/** The same from the last to the first, from before this place among them. */
export function* mergeNewestFirst(lists: readonly NameList[], before: number): Generator<SessionName> {
  const lastBefore = (list: NameList, order: number): number => list.firstAfter(order - 1) - 1;
  const places = lists.map((list) => lastBefore(list, before));
  const heads = lists.map(({ names }, at) => names[places[at]!]);
  const orders = Float64Array.from(lists, (list, at) => list.orders[places[at]!] ?? -1);
  for (;;) {
    let most = 0;
    for (let one = 1; one < orders.length; one++) if (orders[one]! > orders[most]!) most = one;
    const name = heads[most];
    if (name === undefined) return;
    yield parseFileName(name)!;
    const list = lists[most]!;
    const place = lastBefore(list, orders[most]!);
    heads[most] = list.names[place];
    orders[most] = list.orders[place] ?? -1;
  }
}

function* mergeFrom(lists: readonly NameList[], places: number[], last: number): Generator<SessionName> {
  const heads = lists.map(({ names }, at) => names[places[at]!]);
  const next = Float64Array.from(lists, ({ orders }, at) => orders[places[at]!] ?? Infinity);
  for (;;) {
    let least = 0;
    for (let one = 1; one < next.length; one++) if (next[one]! < next[least]!) least = one;
    const name = heads[least];
    if (name === undefined || next[least]! > last) return;
    yield parseFileName(name)!;
    const list = lists[least]!;
    const place = places[least]!;
    const following = list.names[place] === name ? place + 1 : list.firstAfter(next[least]!);
    places[least] = following;
    heads[least] = list.names[following];
    next[least] = list.orders[following] ?? Infinity;
  }
}

/** Of all lists those with an order from `first` to before `end`, newest first. */
export function namesBetween(lists: readonly NameList[], first: number, end: number): SessionName[] {
  const found: SessionName[] = [];
  for (const list of lists)
    for (let at = list.firstAfter(first - 1); list.orders[at]! < end; at++) found.push(parseFileName(list.names[at]!)!);
  return found.sort((a, b) => b.order - a.order);
}
