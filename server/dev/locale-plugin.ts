import type { Plugin } from 'vite';
import { LANGUAGES, type LanguageCode } from '../knowledge/text/languages.ts';
import { readCalendars, readNames, readWorld } from '../knowledge/text/locale/compute.ts';

/** Reads what the build has computed. Node caches no file here: the callers keep what they need. */
const READER = `
import { readFileSync } from 'node:fs';
const read = (name) => JSON.parse(readFileSync(new URL('locale/' + name + '.json', import.meta.url), 'utf8'));
export const readCalendars = () => read('calendars');
export const readWorld = () => read('world');
export const readNames = (language) => read(language);
`;

/** Puts files into the place of what the server would ask `Intl` for (server/knowledge/text/locale/compute.ts). */
export function localeFiles(): Plugin {
  return {
    name: 'docent:locale-files',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'server',
    load: { filter: { id: /\/server\/knowledge\/text\/locale\/compute\.ts$/ }, handler: () => READER },
    generateBundle() {
      const languages = Object.keys(LANGUAGES) as LanguageCode[];
      const tables: [name: string, table: unknown][] = [
        ['calendars', readCalendars()],
        ['world', readWorld()],
        ...languages.map((language): [string, unknown] => [language, readNames(language)]),
      ];
      for (const [name, table] of tables)
        this.emitFile({ type: 'asset', fileName: `locale/${name}.json`, source: JSON.stringify(table) });
    },
  };
}
