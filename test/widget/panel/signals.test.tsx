// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/preact';
import { options } from 'preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signal } from '../../../widget/embed/signals.ts';

afterEach(cleanup);

const count = signal(0);
let draws = 0;
beforeEach(() => {
  count.value = 0;
  draws = 0;
});

function Count({ name }: { name: string }) {
  draws++;
  return (
    <p>
      {name} {count.value}
    </p>
  );
}

/** Lets the renders that wait run. */
const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));

test('a component renders again when a signal changes that it has read, once for several changes', async () => {
  const { container } = render(<Count name="now" />);
  count.value = 1;
  count.value = 2;
  await settle();
  expect(container.textContent).toBe('now 2');
  expect(draws).toBe(2);
});

test('a component renders again for other properties only', () => {
  const { container, rerender } = render(<Count name="now" />);
  rerender(<Count name="now" />);
  expect(draws).toBe(1);
  rerender(<Count name="then" />);
  expect(container.textContent).toBe('then 0');
});

test('a signal that is read no longer renders nothing', async () => {
  const isShown = signal(true);
  const Choice = () => {
    draws++;
    return <p>{isShown.value ? count.value : 'hidden'}</p>;
  };
  const { container } = render(<Choice />);
  isShown.value = false;
  await settle();
  count.value = 1;
  await settle();
  expect(container.textContent).toBe('hidden');
  expect(draws).toBe(2);
});

test('a component that was removed follows no signal', async () => {
  const { unmount } = render(<Count name="now" />);
  unmount();
  count.value = 1;
  await settle();
  expect(draws).toBe(1);
});

test('a component whose render throws renders again after the next change', async () => {
  options.debounceRendering = (draw) =>
    queueMicrotask(() => {
      try {
        draw();
      } catch {
        draws++;
      }
    });
  const Fragile = () => {
    if (count.value === 1) throw new Error('not now');
    return <p>{count.value}</p>;
  };
  const { container } = render(<Fragile />);
  count.value = 1;
  await settle();
  expect(draws).toBe(1);
  count.value = 2;
  await settle();
  expect(container.textContent).toBe('2');
});
