// @vitest-environment happy-dom
import { render, waitFor } from '@testing-library/preact';
import { h } from 'preact';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineElement } from '../../widget/index.tsx';
import type { Host } from '../../widget/embed/launcher.ts';
import {
  answerEvents,
  jsonResponse,
  startFakeServer,
  messageRecord,
  server,
  streamResponse,
  type FakeServer,
} from './fake-server.ts';

// Compiled before a test's clock runs: it is loaded when a visitor comes near.
await import('../../widget/panel.tsx');

let fakeServer: FakeServer;

beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  await Promise.all([defineElement(), defineElement()]);
  fakeServer = startFakeServer({ 'POST /ask': () => streamResponse(answerEvents(messageRecord('q', 'An answer.'))) });
});

afterEach(() => {
  document.body.innerHTML = '';
  fakeServer.close();
});

function placed(attributes: Record<string, string>): HTMLElementTagNameMap['docent-chat'] {
  const element = document.createElement('docent-chat');
  for (const [name, value] of Object.entries({ server, chatbot: 'c1', ...attributes }))
    element.setAttribute(name, value);
  document.body.append(element);
  return element;
}

const hosts = (): Host[] => [...document.querySelectorAll<Host>('docent-widget')];

test('the element adds a launcher to the page and removes it when it is removed', () => {
  const element = placed({ color: '#fc0', offset: '9' });
  expect(hosts()[0]!.style.getPropertyValue('--docent-offset')).toBe('9px');
  element.remove();
  expect(hosts()).toEqual([]);
  document.body.append(element);
  expect(hosts()).toHaveLength(1);
});

test('an inline element contains the chat, with the settings of its attributes', async () => {
  const element = placed({ inline: '', title: 'Ask the shop', suggestions: 'One?|Two?' });
  const inside = (): ShadowRoot => element.querySelector('docent-widget')!.shadowRoot!;
  await waitFor(() => expect(inside().querySelector('h2')?.textContent).toBe('Ask the shop'));
  expect([...inside().querySelectorAll('.suggestions button')].map((one) => one.textContent)).toEqual(['One?', 'Two?']);
});

test('the element has methods and dispatches events', async () => {
  const element = placed({});
  const told: string[] = [];
  for (const name of ['open', 'ask', 'answer', 'close']) element.addEventListener(name, () => told.push(name));
  element.ask('q');
  await waitFor(() => expect(told).toEqual(['open', 'ask', 'answer']));
  element.close();
  expect(told.at(-1)).toBe('close');
});

test('a setting that is named as a method may be assigned as a property, as React 19 does', async () => {
  const element = document.createElement('docent-chat');
  expect('open' in element).toBe(true);
  Object.assign(element, { open: true });
  for (const [name, value] of Object.entries({ server, chatbot: 'c1', inline: '' })) element.setAttribute(name, value);
  document.body.append(element);
  expect(element.getAttribute('open')).toBe('true');
  const told: string[] = [];
  element.addEventListener('ask', () => told.push('ask'));
  element.open();
  element.ask('q');
  await waitFor(() => expect(told).toEqual(['ask']));
});

test('changing the chatbot replaces the chat', () => {
  const element = placed({});
  element.setAttribute('chatbot', 'c2');
  expect(hosts().map(({ docent }) => docent)).toEqual(['c2']);
});

test('mounting twice in a row leaves one chat', () => {
  const tag = 'docent-chat' as 'div';
  const { rerender, unmount } = render(h(tag, { key: 1, server, chatbot: 'c1' } as object));
  rerender(h(tag, { key: 2, server, chatbot: 'c1' } as object));
  expect(hosts()).toHaveLength(1);
  unmount();
  expect(hosts()).toEqual([]);
});

test('sends the address of the page with a question, without query and fragment, or what the context says', async () => {
  const { mount } = await import('../../widget/index.tsx');
  fakeServer.close();
  fakeServer = startFakeServer({
    'POST /ask': () => streamResponse(answerEvents(messageRecord('q', 'An answer.'))),
    'GET ': () => jsonResponse({ name: 'Shop' }),
  });
  const asks = async (context?: object): Promise<unknown> => {
    const handle = mount({ server, chatbot: 'c1', context });
    handle.ask('q');
    const before = fakeServer.askRequests().length;
    await waitFor(() => expect(fakeServer.askRequests()).toHaveLength(before + 1));
    handle.destroy();
    return (fakeServer.askRequests().at(-1)!.body as { variables?: unknown }).variables;
  };
  history.replaceState(undefined, '', '/returns?order=17#token');
  expect(await asks()).toEqual({ page: `${location.origin}/returns` });
  // A single-page application has moved on.
  history.replaceState(undefined, '', `/${'long/'.repeat(300)}`);
  const { page } = (await asks({ user: 'C-7' })) as { page: string };
  expect(page.startsWith(`${location.origin}/long/`)).toBe(true);
  expect(page).toHaveLength(1000);
  expect(await asks({ page: '/cart' })).toEqual({ page: '/cart' });
  expect(await asks({ page: '' })).toEqual({ page: '' });
});
