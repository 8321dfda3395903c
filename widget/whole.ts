/** The panel as one file, extras within: to a page that loads it by a script tag they are not worth a request of their own. */
export { openPanel } from './panel.tsx';
export * as extras from './extras/index.ts';
