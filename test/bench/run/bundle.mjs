import { build } from 'vite';

// In a process of its own, so that the memory a bench measures is not Vite's.
const [entry, outDir] = process.argv.slice(2);
if (!entry || !outDir) throw new Error('usage: bundle.mjs <entry> <folder>');
await build({
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: entry,
    outDir,
    target: 'node20',
    minify: false,
    sourcemap: 'inline',
    rolldownOptions: { output: { entryFileNames: 'bench.mjs' } },
  },
});
