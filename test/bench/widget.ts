import { build } from 'vite';
import { launchChromium } from '../browser/chromium.ts';
import { startFakeServer } from './widget/fake-server.ts';
import { chunks, opening, streaming, type Row } from './widget/measures.ts';
import { painting } from './widget/painting.ts';
import { sizes, type Size } from './widget/sizes.ts';

const ROUNDS = 3;

/** Bundles the module that runs in the page; the rest of a bench is bundled for Node. */
async function buildPageModule(): Promise<string> {
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
 * Measures the built widget in Chromium beside deep-chat's published bundle and a plain text node, with the same answers. `args`
 * selects measures: sizes, chunks, streaming, painting, opening. Only bytes and ratios compare between machines.
 */
export async function bench(args: string[]): Promise<{ sizes?: Size[]; times?: Row[] }> {
  const isSelected = (name: string): boolean => args.length === 0 || args.includes(name);
  const times: Row[] = [];
  const measured = { ...(isSelected('sizes') && { sizes: sizes() }) };
  const measures = Object.entries({ chunks, streaming, painting, opening }).filter(([name]) => isSelected(name));
  if (measures.length === 0) return measured;
  const [browser, server] = await Promise.all([launchChromium(), buildPageModule().then(startFakeServer)]);
  try {
    for (const [name, measure] of measures) {
      console.error(`widget: ${name} …`);
      times.push(...(await measure(browser, server, ROUNDS)));
    }
  } finally {
    await browser.close();
    server.close();
  }
  return { ...measured, times };
}
