import { until } from '../built-server.ts';
import { KEYS, type Driver } from './driver.ts';

/** What a visitor sees of one element. */
export interface Seen {
  text: string;
  /** The middle of what is shown of it, in CSS pixels of the window. */
  x: number;
  y: number;
  /** Nothing covers its middle. */
  isOnTop: boolean;
  hasFocus: boolean;
  isPressed: boolean;
}

/** The last element that is shown with a role and a name, or part of one; looked for in open shadow roots too. */
function find(role: string, name: string): Seen | undefined {
  const roles: Record<string, string> = {
    button: 'button',
    textbox: 'textarea, input:not([type]), input[type=text]',
    link: 'a[href]',
    dialog: 'dialog',
  };
  const all = (root: Document | ShadowRoot): Element[] =>
    Array.from(root.querySelectorAll('*')).flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const hasRole = (one: Element): boolean => {
    const own = one.getAttribute('role');
    return own === null ? role in roles && one.matches(roles[role]!) : own === role;
  };
  const nameOf = (one: Element): string => {
    const root = one.getRootNode() as Document | ShadowRoot;
    const labels = (one.getAttribute('aria-labelledby') ?? '').split(/\s+/).map((id) => id && root.getElementById(id));
    const label = labels.map((element) => (element ? element.textContent : '')).join(' ');
    return label.trim() || one.getAttribute('aria-label') || one.textContent?.trim() || one.getAttribute('title') || '';
  };
  const found = all(document)
    .filter((one) => hasRole(one) && nameOf(one).includes(name) && one.getClientRects().length > 0)
    .pop() as HTMLElement | undefined;
  if (!found) return undefined;
  found.scrollIntoView({ block: 'nearest' });
  const root = found.getRootNode() as Document | ShadowRoot;
  const { x, y, width, height } = found.getClientRects()[0]!;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const top = root.elementFromPoint(middleX, middleY);
  return {
    text: found.innerText,
    x: middleX,
    y: middleY,
    isOnTop: found.contains(top),
    hasFocus: root.activeElement === found,
    isPressed: found.getAttribute('aria-pressed') === 'true',
  };
}

/** The widget on a page, as a visitor uses it. */
export class Chat {
  readonly driver: Driver;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  async find(role: string, name: string): Promise<Seen | undefined> {
    return (await this.driver.run(find, role, name)) ?? undefined;
  }

  /** Waits until it is shown and `isSo`. */
  async see(role: string, name: string, isSo: (seen: Seen) => boolean = () => true): Promise<Seen> {
    let seen: Seen | undefined;
    const check = async (): Promise<boolean> => (seen = await this.find(role, name)) !== undefined && isSo(seen);
    await until(check).catch((error: Error) => {
      throw new Error(`${role} “${name}” is ${JSON.stringify(seen)}: ${error.message}`);
    });
    return seen!;
  }

  async press(role: string, name: string): Promise<void> {
    // What moves into its place is pressed once it stands there.
    let last: Seen | undefined;
    const isStill = (seen: Seen): boolean => {
      const before = last;
      last = seen;
      return seen.isOnTop && seen.x === before?.x && seen.y === before.y;
    };
    const { x, y } = await this.see(role, name, isStill);
    await this.driver.click(x, y);
  }

  async open(): Promise<void> {
    await this.press('button', 'Open chat');
    await this.see('textbox', 'Your question', ({ hasFocus }) => hasFocus);
  }

  async ask(question: string): Promise<void> {
    await this.driver.type(question + KEYS.Enter);
  }

  /** The last answer, once it has its sources. */
  async answer(): Promise<string> {
    await this.see('button', 'Copy with sources');
    return (await this.see('group', 'Answer')).text;
  }
}
