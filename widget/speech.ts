import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Words } from './words/en.ts';

/** The words of the visitor's language. */
export interface Speech {
  language: string;
  words: Partial<Words>;
}

export const directionOf = (language: string): 'ltr' | 'rtl' => (/^(ar|he)/.test(language) ? 'rtl' : 'ltr');

const english: Speech = { language: 'en', words: {} };

/**
 * Speaks what the owner wants, else the language of the page around, else the first that the browser asks for. Undefined until
 * it is known what to say; a language that does not load leaves what was there before, in the end English.
 */
export function createSpeech(wanted: () => string | undefined, host: Element): ReadonlySignal<Speech | undefined> {
  const speech = signal<Speech | undefined>(undefined);
  effect(() => {
    const near = host.parentElement?.closest<HTMLElement>('[lang]')?.lang;
    const tags = [wanted(), near, ...navigator.languages].filter(Boolean) as string[];
    let isLeft = false;
    const say = (next: Speech): void => {
      if (!isLeft) speech.value = next;
    };
    if (/^en/i.test(tags[0]!)) say(english);
    else import('./words/languages.ts').then(({ speak }) => speak(tags)).then(say, () => say(speech.peek() ?? english));
    return () => void (isLeft = true);
  });
  return speech;
}
