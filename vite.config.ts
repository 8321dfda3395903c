import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { minify } from 'terser';
import dts from 'vite-plugin-dts';
import type { BuildEnvironmentOptions, EnvironmentOptions, Plugin, Rolldown, ViteBuilder } from 'vite';
import { defineConfig } from 'vitest/config';
import { development } from './server/dev/vite-plugin.ts';
import { guides, type GuideName } from './server/docs/guides.ts';
import { renderGuide } from './server/docs/render.ts';
import { editPreact } from './server/dev/own-preact.ts';
import { bundledFrom, licenses, licensesFile } from './server/dev/licenses.ts';
import { localeFiles } from './server/dev/locale-plugin.ts';

const root = import.meta.dirname;
const compressed = /\.(?:js|css|svg|html)$/;

/** The oldest browsers that the widget supports (server/docs/widget.md). */
const oldest = ['chrome117', 'edge117', 'firefox115', 'safari17'];

// Newer: for the oldest ones `light-dark()` and nested lists of selectors would be written out, for all. What those lack has its
// fallback in the source (embed/panel.ts), by tests of both.
const newerStyle = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];

/** Vite leaves white space in an ES library, for the sake of later bundlers; what browsers load directly needs none. */
const small = { minify: true, comments: false, chunkFileNames: '[name]-[hash].js' } as const;

function library(
  entry: string,
  fileName: string,
  outDir: string,
  more: BuildEnvironmentOptions = {},
): EnvironmentOptions {
  return {
    consumer: 'client',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir,
      emptyOutDir: false,
      target: oldest,
      cssTarget: newerStyle,
      reportCompressedSize: false,
      lib: { entry, formats: ['es'], fileName: () => fileName },
      rolldownOptions: { output: small },
      ...more,
    },
  };
}

/** Of the demo's own pages, by the name of the page. */
const demoScripts = {
  states: 'demo/states.tsx',
  playground: 'demo/playground.ts',
  preview: 'demo/preview.ts',
  markdown: 'demo/markdown.ts',
};

/** What is known of the modules of a build. */
type Modules = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/** Whether the build's entry imports a module, itself or through others, without waiting. */
function isLoadedAtOnce(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const module = modules.getModuleInfo(id);
  return !!module && (module.isEntry || module.importers.some((one) => isLoadedAtOnce(one, modules, seen)));
}

/** The file of the server that a module goes to; null for its own. */
function serverFile(id: string, modules: Modules): string | null {
  if (!isLoadedAtOnce(id, modules)) return null;
  if (id.includes('/server/answer/small-talk/')) return 'small-talk';
  const [, name] = /\/node_modules\/(@?[\w-]+)/.exec(id) ?? [];
  if (!name) return null;
  return name === 'tinyld' || name === 'undici' ? name : 'packages';
}

const environments: Record<string, EnvironmentOptions> = {
  // Named by its content: it may be cached for long.
  panel: library('widget/embed/panel.ts', 'panel-[hash].js', 'dist/embed', {
    emptyOutDir: true,
    rolldownOptions: { output: small },
  }),
  embed: library('widget/embed/embed.ts', 'embed.js', 'dist', {
    // `name` is asked for by Vite; the file exports nothing, so that no such global appears.
    lib: { entry: 'widget/embed/embed.ts', formats: ['iife'], name: 'docentEmbed', fileName: () => 'embed.js' },
    rolldownOptions: { output: small },
  }),
  component: library('widget/index.tsx', 'index.js', 'dist/component', {
    emptyOutDir: true,
    rolldownOptions: {
      external: /^(?:preact|@preact\/signals)(?:\/|$)/,
      preserveEntrySignatures: 'allow-extension',
      // Whoever installs it names files by their content: hashes do not compress.
      output: { ...small, chunkFileNames: '[name].js' },
    },
  }),
  markdown: library('widget/markdown/index.ts', 'markdown.js', 'dist/component', {
    rolldownOptions: { external: /^(?:preact|@preact\/signals)(?:\/|$)/, output: small },
  }),
  demo: library('', '', 'dist/demo', {
    emptyOutDir: true,
    lib: { entry: demoScripts, formats: ['es'], fileName: (_, name) => `${name}.js` },
  }),
  // The owner's console. Its page names the entry and the style by their content (`writeConsolePage`).
  console: library('', '', 'dist/console', {
    cssCodeSplit: true,
    emptyOutDir: true,
    lib: {
      entry: { console: 'widget/console/main.tsx', style: 'widget/console/all.css' },
      formats: ['es'],
      fileName: (_, name) => `${name}-[hash].js`,
    },
    rolldownOptions: {
      preserveEntrySignatures: false,
      // Two functions are taken of it, and it makes an object as it is loaded.
      treeshake: { moduleSideEffects: [{ test: /@simplewebauthn/, sideEffects: false }] },
      output: {
        ...small,
        assetFileNames: '[name]-[hash][extname]',
        // Two files of script, of the first screen and of all others: apart those were a third larger, and each a wait of its own.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ test: /[jt]sx?$/, name: (id, modules) => (isLoadedAtOnce(id, modules) ? 'console' : 'screens') }],
        },
      },
    },
  }),
  server: {
    consumer: 'server',
    // Two versions of it are depended on, and each is half a megabyte in memory.
    resolve: { noExternal: true, dedupe: ['mime-db'] },
    build: {
      ssr: true,
      target: 'node20',
      outDir: 'dist/server',
      emptyOutDir: true,
      sourcemap: true,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { main: 'server/main.ts' },
        output: {
          ...small, // A tenth less memory, and a start that is as much faster; the map beside it has the names.
          entryFileNames: '[name].js',
          // A file that has one wide character is kept in memory at two bytes for each.
          charset: 'ascii',
          // What V8 needs to compile a file stays with the process, free but in pieces: 30 MB for one file of all.
          codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: serverFile }] },
        },
        checks: { eval: false }, // koa's `depd` makes its wrappers by eval; nothing of ours does
      },
    },
  },
  // The program that reads office files, in processes of its own: the server never loads what it loads.
  parser: {
    consumer: 'server',
    resolve: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: 'dist/server/parser',
      emptyOutDir: true,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { parse: 'server/knowledge/readers/parser/parse.mjs' },
        output: { ...small, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
        checks: { eval: false },
      },
    },
  },
};

/** Every part in one command. The panel comes first: the launcher has its name. */
async function buildAll(builder: ViteBuilder): Promise<void> {
  const names = ['panel', 'embed', 'component', 'markdown', 'demo', 'console', 'server', 'parser'];
  for (const [at, name] of names.entries()) {
    // Whoever waits for it, `npm start` among them, shows that it goes on.
    process.send?.(`${name} (${at + 1} of ${names.length})`);
    const environment = builder.environments[name];
    if (environment) await builder.build(environment);
  }
  keepOwnGlobals();
  writeConsolePage();
  copyApiPage();
  writeGuides();
  copyFileSync(join(root, 'demo/conversations.yaml'), join(root, 'dist/demo/conversations.yaml'));
  compress(['dist/embed.js', ...['dist/embed', 'dist/demo', 'dist/console', 'dist/docs'].flatMap(filesIn)]);
  makeExecutable('dist/server/main.js');
}

/** What one face declares for the whole page stands in both declaration files: Markdown alone has no such element. */
function keepOwnGlobals(): void {
  const file = join(root, 'dist/component/markdown.d.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\s*declare global \{[^]*?\n\}\n/, '\n'));
}

/** The console's one page, with the names that its script and style have got. */
function writeConsolePage(): void {
  const to = join(root, 'dist/console');
  const named = (pattern: RegExp): string => {
    const name = readdirSync(to).find((file) => pattern.test(file));
    if (!name) throw new Error(`the console's build has no file like ${pattern}`);
    return name;
  };
  const page = readFileSync(join(root, 'widget/console/index.html'), 'utf8')
    .replace('main.tsx', named(/^console-.{8}\.js$/))
    .replace('all.css', named(/^style-.{8}\.css$/));
  writeFileSync(join(to, 'index.html'), page);
}

/** The script of /docs as its authors built it, apart from the server's own; it lacks only the address of its source map. */
function copyApiPage(): void {
  const from = (name: string): string => readFileSync(join(root, 'node_modules/rapidoc', name), 'utf8');
  const to = join(root, 'dist/docs');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'rapidoc.js'), from('dist/rapidoc-min.js').replace(/\n?\/\/# sourceMappingURL=\S*\s*$/, '\n'));
  writeFileSync(
    join(to, 'rapidoc-min.js.LICENSE.txt'),
    `${from('LICENSE.txt')}\n${from('dist/rapidoc-min.js.LICENSE.txt')}`,
  );
  writeFileSync(join(to, 'licenses.md'), licensesFile(bundledFrom(manifestsBelow(join(root, 'node_modules/rapidoc')))));
}

/** The guides as pages, beside the script of /docs. */
function writeGuides(): void {
  const [from, to] = [join(root, 'server/docs'), join(root, 'dist/docs')];
  for (const name of Object.keys(guides) as GuideName[])
    writeFileSync(join(to, `${name}.html`), renderGuide(name, readFileSync(join(from, `${name}.md`), 'utf8')));
  copyFileSync(join(from, 'style.css'), join(to, 'style.css'));
}

/** The package.json of a package and of all that it depends on: what its authors may have bundled. */
function manifestsBelow(folder: string, found = new Set<string>()): Set<string> {
  const manifest = join(folder, 'package.json');
  if (found.has(manifest)) return found;
  found.add(manifest);
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    const near = [join(folder, 'node_modules', name), join(root, 'node_modules', name)];
    // The parser's own code is in rapidoc's; what stands in its place here is empty.
    const there = name === '@apitools/openapi-parser' ? undefined : near.find((one) => existsSync(one));
    if (there) manifestsBelow(there, found);
  }
  return found;
}

const filesIn = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => join(folder, name));

function compress(files: string[]): void {
  for (const file of files.filter((name) => compressed.test(name)).map((name) => join(root, name))) {
    const content = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

function makeExecutable(file: string): void {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  if (!text.startsWith('#!')) throw new Error(`${file} has lost its first line, #!/usr/bin/env node`);
  chmodSync(path, 0o755);
}

/** Where the launcher finds the panel, relative to its own address. */
function panelAddress(): string {
  const name = readdirSync(join(root, 'dist/embed')).find((file) => /^panel-.+\.js$/.test(file));
  if (!name) throw new Error('the panel is built before the launcher');
  return `embed/${name}`;
}

/** A plain `define` is read before the panel is built, so that this one name is filled in later. */
const panelName: Plugin = {
  name: 'docent:panel-name',
  apply: 'build',
  applyToEnvironment: (environment) => environment.name === 'embed',
  transform: (code) => code.replaceAll('__DOCENT_PANEL__', () => JSON.stringify(panelAddress())),
};

/** What the panel and the console need of the signals' own package, a third of its size (widget/embed/signals.ts). */
const fewerSignals: Plugin = {
  name: 'docent:fewer-signals',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'panel' || name === 'console',
  resolveId: { filter: { id: /^@preact\/signals$/ }, handler: () => join(root, 'widget/embed/signals.ts') },
};

/** postgres writes to a connection that was lost a moment ago, in a task of its own where nobody can catch that: the process would end. */
const ownPostgres: Plugin = {
  name: 'docent:own-postgres',
  transform: {
    filter: { id: /\/postgres\/src\/connection\.js$/ },
    handler(code) {
      const write = 'const x = socket.write(chunk, fn)';
      if (!code.includes(write))
        this.error('postgres writes otherwise: see whether it survives a connection that is lost');
      return code.replace(write, 'const x = socket ? socket.write(chunk, fn) : false');
    },
  },
};

/** raw-body would decode into text; the server asks it for bytes, and would keep the tables of all encodings, half a megabyte. */
const bytesOnly: Plugin = {
  name: 'docent:bytes-only',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'server',
  resolveId: { filter: { id: /^iconv-lite$/ }, handler: (id) => `\0${id}` },
  load: { filter: { id: /^\0iconv-lite$/ }, handler: () => 'export {};' },
};

/** Of Preact and its signals the panel needs a half, and document's members from their prototype; the console needs hooks and its router too. */
const ownPreact: Plugin = {
  name: 'docent:own-preact',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'panel' || name === 'console',
  resolveId: {
    filter: { id: /^@preact\/signals-core$/ },
    handler: () => join(root, 'node_modules/@preact/signals-core/dist/signals-core.mjs'),
  },
  transform: {
    filter: { id: /\/(?:preact\/dist|signals-core\/dist|preact-iso\/src)\// },
    handler(code, id) {
      return editPreact(this.environment.name, id, code);
    },
  },
};

/**
 * Fields that no other bundle, no page and no server knows, and that are stored nowhere and exported by no file. A name that one of them does
 * know must not be here.
 */
const PRIVATE_FIELDS =
  /^(?:canOpen|canClose|endsBlank|closer|place|isLinked|startOver|setCard|dismiss|prepare|turns|card|isInline|onRetry|onRest|attach|timer|isBusy|isOpen|isLost|emit|createButton|createTurn|applyRecord|untrack|storage|controller|report|pending|earlier|locale|history|feedback|failure|record|until|tags|hasFocus|draw|seen|columns|clear|restore|fail|address|fullScreen|readDocument|parseSafe|resume|forget|messages|post|profile|turn|saveQuestion|reason|isShown|sleep)$/;

/** Fields that `docent/markdown` has for others, and the widget for itself. */
const MARKDOWN_FIELDS = /^(?:version|level|prefix|imageHosts|isWhole|targetOf|root|mark|align)$/;

/** A second look at what a browser downloads: two hundredths less, which is a feature's worth. */
const smaller: Plugin = {
  name: 'docent:smaller',
  apply: 'build',
  applyToEnvironment: ({ name }) => ['panel', 'embed', 'component', 'markdown', 'console'].includes(name),
  async generateBundle(_, bundle) {
    const isConsole = this.environment.name === 'console';
    const compress = {
      passes: 3,
      ecma: 2022,
      // Calls of the language's own functions go where nothing takes their result: the console's `main.tsx` has one that may throw.
      unsafe: !isConsole,
      unsafe_arrows: true,
      pure_getters: true,
      sequences: this.environment.name === 'component' || isConsole,
      if_return: !isConsole,
    } as const;
    const isMarkdown = this.environment.name === 'markdown';
    const regex = isMarkdown ? PRIVATE_FIELDS : RegExp(`${PRIVATE_FIELDS.source}|${MARKDOWN_FIELDS.source}`);
    // The console's records have the names of the API.
    const mangle = { module: true, ...(!isConsole && { properties: { builtins: true, regex } }) };
    // A private field has one name in all files of the bundle.
    const nameCache = { vars: {}, props: {} };
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      const exported = file.exports.find((name) => regex.test(name));
      if (exported && !isConsole)
        throw new Error(`${file.fileName} exports ${exported}, which is renamed where it is read`);
      nameCache.vars = {};
      file.code = (await minify(file.code, { module: true, compress, mangle, nameCache })).code ?? file.code;
    }
  },
};

/** `h(tag, props, …children)` is shorter than the automatic runtime's calls, and asks for no module of its own. */
const shortJsx: Plugin = {
  name: 'docent:short-jsx',
  enforce: 'pre',
  apply: 'build',
  transform: { filter: { id: /\.tsx$/ }, handler: (code) => `import { Fragment, h } from 'preact'; ${code}` },
};

/** A declaration file for each npm face. The plugin asks the configuration's top level what is built: show it both. */
function componentTypes(): Plugin[] {
  const faces = { index: 'widget/index.tsx', markdown: 'widget/markdown/index.ts' };
  const plugin = dts({ include: ['widget', 'server/types.ts'], entryRoot: root, bundleTypes: true });
  return ([plugin].flat() as Plugin[]).map((one) => ({
    ...one,
    applyToEnvironment: (environment) => environment.name === 'component',
    configResolved(config) {
      const component = config.environments['component']?.build ?? config.build;
      if (typeof one.configResolved === 'function')
        return one.configResolved.call(this, { ...config, build: { ...component, lib: { entry: faces } } });
    },
  }));
}

/** What `npm test` runs: units, the store's contract, the tables of the API. Nothing of it needs a build or a browser. */
const quick = [
  'test/answer/{cite,demo-questions,prompt,quote,quoting,runs}.test.ts',
  'test/api/{contract/{conformance,openapi,operations},resources/models}.test.ts',
  'test/conversations/table.test.ts',
  'test/demo/*.test.ts',
  'test/knowledge/{embedding,learning,passage-index,revisit,vectors}.test.ts',
  'test/model/*.test.ts',
  'test/proxy/ask.test.ts',
  'test/server/{auth,bot,config,drain,health,pipelining}.test.ts',
  'test/store/{damage,lowdb,managed-files}.test.ts',
  'test/web/*.test.ts',
  'test/widget/{citations,embed,markdown/markdown,node-import,sse-parser}.test.ts',
  // Of PostgreSQL's own only the store's contract, and only where a database is at hand.
  ...(process.env['DATABASE_URL'] ? ['test/store/postgres/postgres.test.ts'] : []),
];

const inBrowser = ['test/browser/**/*.test.ts'];

/** `npm run test:all` runs all; without a browser, or without PostgreSQL, that project is left out. */
const projects = [
  // Its files share a worker's modules: to load the server for each file would cost more than the tests do.
  { name: 'quick', include: quick, isolate: false },
  { name: 'slow', include: ['test/**/*.test.{ts,tsx}'], exclude: [...quick, ...inBrowser] },
  // The API, the door and the console once more, on the other engine.
  {
    name: 'postgres',
    include: ['test/{api,proxy,console}/**/*.test.ts'],
    // Its clock and timers are its own, and the driver's would stand still: test/store/postgres/schedules.test.ts.
    exclude: ['test/api/resources/schedule.test.ts'],
    globalSetup: 'test/engine/global-setup.ts',
    setupFiles: 'test/engine/setup.ts',
  },
  { name: 'browser', include: inBrowser },
];

export default defineConfig(({ command }) => ({
  appType: 'custom',
  publicDir: false,
  environments: command === 'build' ? environments : {},
  builder: { buildApp: buildAll },
  oxc: command === 'build' ? { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } } : {},
  plugins:
    command === 'build'
      ? [
          componentTypes(),
          panelName,
          fewerSignals,
          ownPreact,
          ownPostgres,
          bytesOnly,
          localeFiles(),
          shortJsx,
          smaller,
          licenses({ none: ['embed', 'component', 'markdown'] }),
        ]
      : [development()],
  server: {
    host: process.env['HOST'] ?? '127.0.0.1',
    port: Number(process.env['PORT'] ?? 8080),
    strictPort: true,
    cors: false, // the app's own headers stand
  },
  optimizeDeps: { entries: ['widget/panel.tsx', 'widget/console/main.tsx', ...Object.values(demoScripts)] },
  test: {
    css: true,
    pool: 'forks',
    maxWorkers: 2,
    // Guards against a hang, long enough for a busy machine: no test proves a time by them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    setupFiles: 'test/patience.ts',
    projects: projects.map((test) => ({ extends: true, test })),
  },
}));
