/** What the name of a session's file says: `<uuid>.<chatbot>.<order>.jsonl`, the order in base 36. */
export interface SessionName {
  uuid: string;
  chatbot: string;
  order: number;
}

const SESSION_FILE_NAME = /^([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-z]+)\.jsonl$/;

export const fileNameOf = (name: SessionName): string =>
  `${name.uuid}.${name.chatbot}.${name.order.toString(36)}.jsonl`;

export function parseFileName(text: string): SessionName | undefined {
  const [, uuid, chatbot, order] = SESSION_FILE_NAME.exec(text) ?? [];
  return uuid && chatbot && order ? { uuid, chatbot, order: parseInt(order, 36) } : undefined;
}

/** Whether a file that was set aside is of that session: others of the data folder may begin with its uuid. */
export const isOfSession = (text: string, uuid: string): boolean =>
  text.startsWith(`${uuid}.`) && parseFileName(text.replace(/\.damaged(?:\.\d+)?$/, '')) !== undefined;

/** Of a file's name; behind all for none. */
export const orderOf = (text: string | undefined): number =>
  text === undefined ? Infinity : parseInt(text.slice(66, text.lastIndexOf('.')), 36);

const chatbotOf = (text: string): string => text.slice(33, 65);

/** The sessions of one folder. Names as text: a third of the memory of objects, a hundred thousand times. */
export class SessionFolder {
  readonly #names = new Map<string, string>();
  /** Of each chatbot that was listed, in order of creation. */
  readonly #lists = new Map<string, string[]>();

  has(uuid: string): boolean {
    return this.#names.has(uuid);
  }

  get(uuid: string): string | undefined {
    return this.#names.get(uuid);
  }

  uuids(): Iterable<string> {
    return this.#names.keys();
  }

  add(text: string): void {
    this.remove(text.slice(0, 32));
    this.#names.set(text.slice(0, 32), text);
    const list = this.#lists.get(chatbotOf(text));
    list?.splice(firstAfter(list, orderOf(text)), 0, text);
  }

  remove(uuid: string): void {
    const text = this.#names.get(uuid);
    if (text === undefined) return;
    this.#names.delete(uuid);
    const list = this.#lists.get(chatbotOf(text));
    const at = list?.lastIndexOf(text, firstAfter(list, orderOf(text)) - 1) ?? -1;
    if (at >= 0) list!.splice(at, 1);
  }

  isListed(chatbot: string): boolean {
    return this.#lists.has(chatbot);
  }

  /** In order of creation; it changes with the folder. */
  list(chatbot: string): readonly string[] {
    const known = this.#lists.get(chatbot);
    if (known) return known;
    const own = [...this.#names.values()].filter((text) => chatbotOf(text) === chatbot);
    own.sort((a, b) => orderOf(a) - orderOf(b));
    this.#lists.set(chatbot, own);
    return own;
  }

  /** For a chatbot that is gone. */
  forgetList(chatbot: string): void {
    this.#lists.delete(chatbot);
  }
}

/** The place of the first with a greater order. */
function firstAfter(list: readonly string[], order: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orderOf(list[middle]) > order) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The names of all lists in one order, from behind this place among them to the last there is now. The lists may change
 * meanwhile: who was added then is left out.
 */
export function mergeByOrder(lists: (readonly string[])[], after: number): Generator<SessionName> {
  const last = Math.max(-1, ...lists.filter((list) => list.length > 0).map((list) => orderOf(list.at(-1))));
  const places = lists.map((list) => (after < 0 ? 0 : firstAfter(list, after)));
  return mergeFrom(lists, places, last);
}

/** The same from the last to the first, from before this place among them. */
export function* mergeNewestFirst(lists: (readonly string[])[], before: number): Generator<SessionName> {
  const lastBefore = (list: readonly string[], order: number): string | undefined =>
    list[firstAfter(list, order - 1) - 1];
  const heads = lists.map((list) => lastBefore(list, before));
  const orders = Float64Array.from(heads, (text) => (text === undefined ? -1 : orderOf(text)));
  for (;;) {
    let most = 0;
    for (let one = 1; one < orders.length; one++) if (orders[one]! > orders[most]!) most = one;
    const text = heads[most];
    if (text === undefined) return;
    yield parseFileName(text)!;
    heads[most] = lastBefore(lists[most]!, orders[most]!);
    orders[most] = heads[most] === undefined ? -1 : orderOf(heads[most]);
  }
}

function* mergeFrom(lists: (readonly string[])[], places: number[], last: number): Generator<SessionName> {
  const heads = lists.map((list, at) => list[places[at]!]);
  const next = Float64Array.from(heads, orderOf);
  for (;;) {
    let least = 0;
    for (let one = 1; one < next.length; one++) if (next[one]! < next[least]!) least = one;
    const text = heads[least];
    if (text === undefined || next[least]! > last) return;
    yield parseFileName(text)!;
    const list = lists[least]!;
    const place = places[least]!;
    const following = list[place] === text ? place + 1 : firstAfter(list, next[least]!);
    places[least] = following;
    heads[least] = list[following]!;
    next[least] = orderOf(heads[least]);
  }
}
