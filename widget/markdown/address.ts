/** Schemes that a link of an answer may have; everything else is shown as text. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;

// Browsers drop these inside a scheme: `java\tscript:` would otherwise read as something harmless.
// oxlint-disable-next-line no-control-regex
const DROPPED = /[\u0000-\u0020\u007f-\u009f]/g;

/** An address as it may stand in a link; undefined for what may not (scripts, data, relative ones). */
export function safeAddress(written: string): string | undefined {
  const bare = written.replace(DROPPED, (character) => (character === ' ' ? '%20' : ''));
  return SAFE.test(bare) ? bare : undefined;
}
