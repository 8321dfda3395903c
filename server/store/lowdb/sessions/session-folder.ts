import { NameList } from './name-list.ts';
import { chatbotOf, isOfChatbot } from './session-name.ts';

/** The sessions of one folder. Names as text: a third of the memory of objects, a hundred thousand times. */
export class SessionFolder {
  readonly #names = new Map<string, string>();
  /** Of each chatbot that was listed. */
  readonly #lists = new Map<string, NameList>();

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
    this.#lists.get(chatbotOf(text))?.add(text);
  }

  remove(uuid: string): void {
    const text = this.#names.get(uuid);
    if (text === undefined) return;
    this.#names.delete(uuid);
    this.#lists.get(chatbotOf(text))?.remove(text);
  }

  isListed(chatbot: string): boolean {
    return this.#lists.has(chatbot);
  }

  /** It changes with the folder. */
  list(chatbot: string): NameList {
    let list = this.#lists.get(chatbot);
    if (!list) {
      list = new NameList([...this.#names.values()].filter((text) => isOfChatbot(text, chatbot)));
      this.#lists.set(chatbot, list);
    }
    return list;
  }

  /** For a chatbot that is gone. */
  forgetList(chatbot: string): void {
    this.#lists.delete(chatbot);
  }
}
