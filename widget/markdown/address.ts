/** Schemes that a link of an answer may have; everything else is shown as text. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;

// Browsers drop these inside a scheme: `java\tscript:` would otherwise read as something harmless.
const DROPPED = /[^!-~\u00a1-\uffff]/g;

/** An address as it may stand in a link; undefined for what may not (scripts, data, relative ones). */
export function safeAddress(written: string): string | undefined {
  const bare = written.replace(DROPPED, (character) => (character === ' ' ? '%20' : ''));
  return SAFE.test(bare) ? bare : undefined;
}
