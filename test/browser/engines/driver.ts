/** A window of a browser, driven as a person would: with a pointer and keys. */
export interface Driver {
  /** Such as `Firefox 140`. */
  readonly name: string;
  goto(url: string): Promise<void>;
  /** Runs a function in the page, which uses nothing from outside it; `args` and what it returns are JSON. */
  run<A extends unknown[], T>(act: (...args: A) => T, ...args: A): Promise<T>;
  /** Presses the main button at a point of the window, in CSS pixels. */
  click(x: number, y: number): Promise<void>;
  /** Types into what has the focus. Keys without a character are those of WebDriver, such as `KEYS.Enter`. */
  type(text: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Opens a tab, or a window that shares all with the first, and goes on in it. */
  openTab(): Promise<void>;
  /** Goes on in the tab with this index. */
  toTab(index: number): Promise<void>;
  /** Goes on in the page's first frame, or out of it: points are those of its window then. */
  toFrame(isIn: boolean): Promise<void>;
  close(): Promise<void>;
}

/** https://www.w3.org/TR/webdriver2/#keyboard-actions */
export const KEYS = { Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004' } as const;
