import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace } from '../../server/types.ts';
import type { Speech } from '../words/languages.ts';

const english: Speech = { lang: 'en', dir: 'ltr' };

/**
 * Speaks what the owner wants, else the language of the page around, else the first that the browser asks for. Undefined until
 * it is known what to say; a language that does not load leaves what was there before, in the end English.
 */
export function createSpeech(face: Signal<Partial<ChatbotFace>>, host: Element): ReadonlySignal<Speech | undefined> {
  const speech = signal<Speech | undefined>(undefined);
  let spoken: Promise<unknown> = Promise.resolve();
  effect(() => {
    // What is not known is empty between commas.
    const tags = [face.value.language, host.closest<HTMLElement>('[lang]')?.lang, navigator.languages].join();
    // One after another, so that the last one wanted has the last word.
    spoken = spoken.then(async () => {
      try {
        speech.value = /^,*en/i.test(tags) ? english : await (await import('../words/languages.ts')).speak(tags);
      } catch {
        speech.value ??= english;
      }
    });
  });
  return speech;
}
