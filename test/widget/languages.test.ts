// @vitest-environment happy-dom
import { waitFor } from '@testing-library/preact';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterAnswerWords } from '../../widget/words/after-answer.ts';
import { commentWords } from '../../widget/words/comment.ts';
import { confirmationWords } from '../../widget/words/confirmation.ts';
import { conversationsWords } from '../../widget/words/conversations.ts';
import { en, type Words } from '../../widget/words/en.ts';
import { launcherWords } from '../../widget/words/launcher.ts';
import { partsWords } from '../../widget/words/parts.ts';
import { presenceWords } from '../../widget/words/presence.ts';
import { teaserWords } from '../../widget/words/teaser.ts';
import { jsonResponse } from './fake-server.ts';
import { mountChat, type MountedChat } from './mounted.ts';

const files = readdirSync('widget/words').flatMap((name) => /^(?!en)([a-z]{2})\.ts$/.exec(name)?.[1] ?? []);
const English: Words = {
  ...launcherWords,
  ...afterAnswerWords,
  ...commentWords,
  ...confirmationWords,
  ...conversationsWords,
  ...partsWords,
  ...presenceWords,
  ...teaserWords,
  ...en,
};

let chat: MountedChat | undefined;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  chat?.close();
  chat = undefined;
  document.documentElement.removeAttribute('lang');
  vi.restoreAllMocks();
});

const speaking = (...tags: string[]): void => void vi.spyOn(navigator, 'languages', 'get').mockReturnValue(tags);
const panel = (): HTMLElement => chat!.root.querySelector<HTMLElement>('[lang]')!;
const lang = async (code: string): Promise<void> => waitFor(() => expect(panel()?.lang).toBe(code));

test('there are at least twenty languages with English', () => {
  expect(files.length + 1).toBeGreaterThanOrEqual(20);
});

test.each(files)('%s has every text of English', async (file) => {
  const { words } = (await import(`../../widget/words/${file}.ts`)) as { words: Words };
  expect(Object.keys(words).toSorted()).toEqual(Object.keys(English).toSorted());
  for (const [key, sentence] of Object.entries(words)) {
    expect(sentence.trim(), key).toBe(sentence);
    expect(sentence, key).not.toBe('');
  }
});

async function openedIn(
  options: Parameters<typeof mountChat>[1] = {},
  answers: Parameters<typeof mountChat>[0] = {},
): Promise<void> {
  chat?.close();
  chat = mountChat(answers, options);
  chat.handle.open();
  await waitFor(() => expect(panel()).toBeTruthy());
}

test('prefers the page’s language to the browser’s', async () => {
  document.documentElement.lang = 'fr-CA';
  speaking('de-DE');
  await openedIn();
  await lang('fr');
  chat!.screen.getByPlaceholderText('Votre question');
  expect(panel().dir).toBe('ltr');
});

test.each([
  ['no', 'nb'],
  ['nn-NO', 'nb'],
  ['iw', 'he'],
])('knows %s as another code of %s', async (written, code) => {
  document.documentElement.lang = written;
  speaking('en');
  await openedIn();
  await lang(code);
});

test('asks in the language of the page, for sentences of the server', async () => {
  document.documentElement.lang = 'hu';
  speaking('de-DE', 'en');
  await openedIn();
  await lang('de');
  chat!.handle.ask('12345?');
  await waitFor(() => expect(chat!.server.askRequests()).toHaveLength(1));
  expect(chat!.server.askRequests()[0]!.headers.get('Accept-Language')).toBe(',hu,de-DE,en');
});

test('leaves out of that language what would ask for a preflight', async () => {
  document.documentElement.lang = 'fr_FR "é"';
  speaking('de-DE');
  await openedIn();
  chat!.handle.ask('12345?');
  await waitFor(() => expect(chat!.server.askRequests()).toHaveLength(1));
  expect(chat!.server.askRequests()[0]!.headers.get('Accept-Language')).toBe(',fr');
});

test('uses the lang attribute of the nearest ancestor', async () => {
  document.documentElement.lang = 'fr';
  const target = document.createElement('div');
  target.lang = 'ja';
  document.body.append(target);
  await openedIn({ target });
  await lang('ja');
  target.remove();
});

test('uses the browser’s language where the page has none or an unsupported one', async () => {
  document.documentElement.lang = 'eu';
  speaking('tlh', 'pt-BR', 'en');
  await openedIn();
  await lang('pt');
});

test('uses English where no language is supported', async () => {
  document.documentElement.lang = 'eu';
  speaking('tlh');
  await openedIn();
  await lang('en');
  chat!.screen.getByPlaceholderText('Your question');
});

test('prefers the language setting, of page or server, to the page’s language', async () => {
  document.documentElement.lang = 'fr';
  await openedIn({ settings: { language: 'he' } });
  await lang('he');
  expect(panel().dir).toBe('rtl');
  const face = { uuid: 'c1', name: 'x', show_citations: true, greeting: '', suggestions: [], theme: {}, words: {} };
  await openedIn({}, { 'GET ': () => jsonResponse({ ...face, language: 'el' }) });
  await lang('el');
});

test('says below the title which site the answers are from, and “by AI” where a model writes them', async () => {
  const face = {
    uuid: 'c1',
    name: 'Shop',
    suggestions: [],
    theme: {},
    words: {},
    language: 'de',
    site: 'shop.example',
  };
  await openedIn({}, { 'GET ': () => jsonResponse({ ...face, by_ai: false }) });
  await waitFor(() => chat!.screen.getByText('Antworten von shop.example'));
  await openedIn({}, { 'GET ': () => jsonResponse({ ...face, by_ai: true }) });
  await waitFor(() => chat!.screen.getByText('KI-Antworten von shop.example'));
  await openedIn({}, { 'GET ': () => jsonResponse({ ...face, site: '', by_ai: true }) });
  await lang('de');
  expect(chat!.screen.queryByText(/Antworten von/)).toBeNull();
});

test('translates the launcher once the panel is loaded', async () => {
  document.documentElement.lang = 'de';
  await openedIn();
  await lang('de');
  chat!.handle.close();
  await waitFor(() => chat!.screen.getByRole('button', { name: 'Chat öffnen' }));
});

test('uses the owner’s texts in any language', async () => {
  document.documentElement.lang = 'de';
  await openedIn({ words: { field: 'Na, was gibt’s?' } });
  await lang('de');
  chat!.screen.getByPlaceholderText('Na, was gibt’s?');
  chat!.screen.getByRole('button', { name: 'Senden' });
});
