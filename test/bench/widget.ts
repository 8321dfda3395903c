import { build } from 'vite';
import { launchChromium } from '../browser/chromium.ts';
import { openDoor } from './widget/door.ts';
import { chunks, opening, streaming, type Row } from './widget/measures.ts';
import { sizes, type Size } from './widget/sizes.ts';

const ROUNDS = 3;

/** The module that runs inside a page, for a browser: a bench is built for Node. */
async function builtForPage(): Promise<string> {
  const [result] = [
    await build({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      define: { 'process.env.NODE_ENV': '"production"' },
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: { write: false, lib: { entry: 'test/bench/widget/in-page.tsx', formats: ['es'], fileName: 'in-page' } },
    }),
  ].flat();
  if (!result || !('output' in result)) throw new Error('the module for the page was not built');
  return result.output[0].code;
}

/**
 * The built widget in a real Chromium, beside deep-chat's published bundle and a bare text, with the same answers. Takes names of
 * measures to run only those: sizes, chunks, streaming, opening. Bytes and ratios are to be judged; times go by the machine.
 */
export async function bench(args: string[]): Promise<{ sizes?: Size[]; times?: Row[] }> {
  const wanted = (name: string): boolean => args.length === 0 || args.includes(name);
  const times: Row[] = [];
  const measured = { ...(wanted('sizes') && { sizes: sizes() }) };
  const measures = Object.entries({ chunks, streaming, opening }).filter(([name]) => wanted(name));
  if (measures.length === 0) return measured;
  const [browser, door] = await Promise.all([launchChromium(), builtForPage().then(openDoor)]);
  try {
    for (const [name, measure] of measures) {
      console.error(`widget: ${name} …`);
      times.push(...(await measure(browser, door, ROUNDS)));
    }
  } finally {
    await browser.close();
    door.close();
  }
  return { ...measured, times };
}
