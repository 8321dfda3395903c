import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace } from '../../server/types.ts';
import type { Locale } from '../words/languages.ts';

const english: Locale = { lang: 'en', dir: 'ltr' };

/**
 * Speaks what the owner wants, else the language of the page around, else the first that the browser asks for. Undefined until
 * it is known what to say; a language that does not load leaves what was there before, in the end English.
 */
export function createLocale(profile: Signal<Partial<ChatbotFace>>, host: Element): ReadonlySignal<Locale | undefined> {
  const locale = signal<Locale | undefined>(undefined);
  let lastLoad: Promise<unknown> = Promise.resolve();
  effect(() => {
    // What is not known is empty between commas.
    const tags = [profile.value.language, host.closest<HTMLElement>('[lang]')?.lang, navigator.languages].join();
    // One after another, so that the last one wanted has the last word.
    lastLoad = lastLoad.then(async () => {
      try {
        locale.value = /^,*en/i.test(tags) ? english : await (await import('../words/languages.ts')).loadLocale(tags);
      } catch {
        locale.value ??= english;
      }
    });
  });
  return locale;
}
