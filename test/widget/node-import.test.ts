import { expect, test } from 'vitest';

test('the component can be imported without a browser', async () => {
  expect('document' in globalThis).toBe(false);
  const { mount, ChatWidget } = await import('../../widget/index.tsx');
  expect([typeof mount, typeof ChatWidget]).toEqual(['function', 'function']);
});
