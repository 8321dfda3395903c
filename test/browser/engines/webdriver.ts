import type { Driver } from './driver.ts';

/** Sends one command of WebDriver, by its name there; returns the reply's `value`. Rejects with the error that it names. */
export interface Session {
  readonly name: string;
  /** Whether points in a frame are those of the window around it, against the standard. */
  readonly hasPointsOfWindow?: boolean;
  send<T>(command: Command, parameters?: Record<string, unknown>): Promise<T>;
  /** Ends the browser. */
  close(): Promise<void>;
}

export type Command =
  | 'Navigate'
  | 'ExecuteScript'
  | 'PerformActions'
  | 'ReleaseActions'
  | 'SetWindowRect'
  | 'NewWindow'
  | 'GetWindowHandle'
  | 'SwitchToWindow'
  | 'SwitchToFrame';

/** https://www.w3.org/TR/webdriver2/: the same commands and actions in each browser. */
export function driverOf(session: Session): Driver {
  const { name, send } = session;
  const handles: string[] = [];
  let [left, top] = [0, 0];
  const switchTo = (handle: string): Promise<void> => send('SwitchToWindow', { handle, name: handle });
  const perform = async (source: Record<string, unknown>): Promise<void> => {
    await send('PerformActions', { actions: [source] });
    await send('ReleaseActions');
  };
  return {
    name,
    goto: (url) => send('Navigate', { url }),
    run: (act, ...args) => send('ExecuteScript', { script: `return (${act}).apply(null, arguments)`, args }),
    click: (x, y) =>
      perform({
        type: 'pointer',
        id: 'mouse',
        actions: [
          { type: 'pointerMove', duration: 0, x: Math.round(x + left), y: Math.round(y + top) },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      }),
    type: (text) =>
      perform({
        type: 'key',
        id: 'keyboard',
        actions: Array.from(text).flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      }),
    resize: (width, height) => send('SetWindowRect', { x: 0, y: 0, width, height }),
    async openTab() {
      if (handles.length === 0) handles.push(await send('GetWindowHandle'));
      // A tab of WebKitGTK stays hidden behind the first one.
      const { handle } = await send<{ handle: string }>('NewWindow', { type: 'window' });
      handles.push(handle);
      await switchTo(handle);
    },
    toTab: (index) => switchTo(handles[index]!),
    async toFrame(isIn) {
      const around = (): number[] => {
        const { x, y } = document.querySelector('iframe')!.getBoundingClientRect();
        return [x, y];
      };
      const script = `return (${around})()`;
      [left, top] = isIn && session.hasPointsOfWindow ? await send('ExecuteScript', { script, args: [] }) : [0, 0];
      await send('SwitchToFrame', { id: isIn ? 0 : null });
    },
    close: () => session.close(),
  };
}
