// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { waitFor } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import { sharedData } from '../shared.ts';
import { citation, jsonResponse, messageRecord } from './fake-server.ts';
import { mountAndOpen, type MountedChat } from './mounted.ts';

const own = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](//evil.test)',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[a]: javascript:alert(1)\n\n[a]',
  '[x](https://a.test" onclick="alert(1))',
  '`</code><script>alert(1)</script>`',
  '```"><script>\nalert(1)\n```',
  '| <script>x</script> |\n|-|\n| [x](javascript:x) |',
  'javascript:alert(1)',
  'https://a.test/" onmouseover="alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
];

const path = sharedData('xss.json');
const strings = [...own, ...(path ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [])];

let chat: MountedChat | undefined;

afterEach(() => {
  chat?.close();
  localStorage.clear();
  sessionStorage.clear();
});

/** Everything in the tree that could run, load or lead somewhere it should not. */
function findings(root: ParentNode): string[] {
  const bad: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (/^(script|img|iframe|object|embed|style|link|meta|base|video|audio|input)$/i.test(element.tagName)) {
      bad.push(element.outerHTML);
    }
    if (element.matches('form ~ form, form form, .log form')) bad.push(element.outerHTML);
    for (const { name, value } of element.attributes) {
      if (/^(on|src|srcdoc|action|formaction|xlink|background|poster)/i.test(name)) bad.push(`${name}=${value}`);
      if (name === 'href' && !/^(https?:\/\/|mailto:|tel:)/i.test(value)) bad.push(`href=${value}`);
      if (name === 'href' && element.getAttribute('rel')?.includes('noopener') !== true) bad.push(`rel of ${value}`);
    }
  }
  return bad;
}

const at = 64;
const parts = Array.from({ length: Math.ceil(strings.length / at) }, (_, part) =>
  strings.slice(part * at, (part + 1) * at),
);

test.each(parts.map((part, number) => ({ part, number })))(
  'XSS strings are rendered as text wherever they appear ($number)',
  async ({ part }) => {
    localStorage.setItem('docent:https://docent.test/:c1', '{"session":"s1"}');
    const messages = part.map((text, number) => ({
      ...messageRecord(text, `${text}\n\nsaid [1]`, {
        1: citation({ title: text, text, file_name: number % 2 ? text : `https://shop.test/${text}` }),
      }),
      uuid: `m${number}`,
    }));
    chat = await mountAndOpen({
      'GET ': () =>
        jsonResponse({
          name: part[0],
          greeting: part[1] ?? '',
          suggestions: part.slice(0, 6),
          theme: { color: part[0] },
          words: {},
        }),
      'GET /session/s1/messages': () => jsonResponse(messages),
    });
    await waitFor(() => expect(chat!.root.querySelectorAll('.turn')).toHaveLength(part.length));
    expect(findings(chat.root)).toEqual([]);
    const markers = chat.root.querySelectorAll<HTMLElement>('.turn button.marker');
    let shown = 0;
    for (const marker of markers) {
      marker.click();
      await new Promise((resolve) => setTimeout(resolve));
      const card = chat.root.querySelector('.card');
      if (card) shown++;
      expect(card ? findings(card) : []).toEqual([]);
    }
    expect(shown).toBeGreaterThan(0);
  },
);
