// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import { answerEvents, messageRecord, streamResponse } from '../fake-server.ts';
import { mountAndOpen, type MountedChat } from '../mounted.ts';

const question = 'How long do I have?';

let chat: MountedChat;

afterEach(() => {
  vi.useRealTimers();
  chat.close();
});

test('an answer made again is seen to be looked for, however soon it is there; a first one is drawn at once', async () => {
  const text = 'You have 45 days.';
  const answer = answerEvents(messageRecord(question, text));
  chat = await mountAndOpen({ 'POST /ask': () => streamResponse(answer) });
  const { root, screen, server } = chat;
  const wait = async (ms: number): Promise<string> => {
    await vi.advanceTimersByTimeAsync(ms);
    return root.querySelector('.answer')!.textContent;
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  chat.ask(question);
  expect(await wait(50)).toContain(text);
  vi.useRealTimers();
  const again = await waitFor(() => screen.getByRole('button', { name: 'Try again' }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  again.click();
  expect(await wait(390)).toBe('Looking for the answer…');
  expect(server.askRequests()).toHaveLength(2);
  expect(await wait(50)).toContain(text);
});
