/** How long a test waits for what it expects, in ms: a busy machine needs more than the usual 1,000. */
export const PATIENCE_MS = 10_000;

// Testing Library is for pages: no other test pays for loading it.
if (globalThis.document) {
  const { configure } = await import('@testing-library/preact');
  configure({ asyncUtilTimeout: PATIENCE_MS });
}
