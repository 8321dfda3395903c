import { expect, test } from 'vitest';

test('the component is imported where there is no browser', async () => {
  expect('document' in globalThis).toBe(false);
  const { mount, ChatWidget } = await import('../../widget/index.tsx');
  expect([typeof mount, typeof ChatWidget]).toEqual(['function', 'function']);
});
