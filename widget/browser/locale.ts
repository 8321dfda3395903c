import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotProfile } from '../../server/types.ts';
import type { Locale } from '../words/languages.ts';

/**
 * Locale of the panel: the owner's `language`, else the `lang` of the host's closest ancestor, else the browser's. Undefined until
 * loaded. Where loading fails the previous one stays, English if there was none.
 */
export function createLocale(
  profile: Signal<Partial<ChatbotProfile>>,
  host: Element,
): ReadonlySignal<Locale | undefined> {
  const english: Locale = { lang: 'en', dir: 'ltr' };
  const locale = signal<Locale | undefined>(undefined);
  let lastLoad: Promise<unknown> = Promise.resolve();
  effect(() => {
    // join() turns undefined into an empty entry.
    const tags = [profile.value.language, host.closest<HTMLElement>('[lang]')?.lang, navigator.languages].join();
    // In sequence, so that a slow earlier load does not overwrite a later one.
    lastLoad = lastLoad.then(async () => {
      try {
        locale.value = {
          ...(/^,*en/i.test(tags) ? english : await (await import('../words/languages.ts')).loadLocale(tags)),
          tags,
        };
      } catch {
        locale.value ??= english;
      }
    });
  });
  return locale;
}
