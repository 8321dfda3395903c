import { DomUtils, parseDocument } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { demoSite, pages } from '../../demo/pages.ts';

/** Pages about the widget. */
const others = ['markdown.html', 'playground.html', 'preview.html', 'states.html'];
const ofTheShop = Object.entries(pages).filter(([name]) => !others.includes(name));

test('the demo ingests every page of the shop and no other', () => {
  expect(demoSite.learn.toSorted()).toEqual(ofTheShop.map(([name]) => name).toSorted());
});

describe.each(ofTheShop)('%s', (_name, html) => {
  const page = parseDocument(html);
  const all = (tag: string) => DomUtils.getElementsByTagName(tag, page);
  const [main] = all('main');

  test('has a language, a title, a description and one heading', () => {
    expect(all('html')[0]?.attribs['lang']).toMatch(/^en/);
    expect(DomUtils.textContent(all('title'))).toMatch(/\S/);
    expect(all('meta').find((meta) => meta.attribs['name'] === 'description')?.attribs['content']).toMatch(/\.$/);
    expect(all('h1')).toHaveLength(1);
  });

  test('has 200 to 500 words in its main content', () => {
    const words = DomUtils.innerText(main ? [main] : []).match(/\S+/g) ?? [];
    expect(words.length).toBeGreaterThanOrEqual(200);
    expect(words.length).toBeLessThanOrEqual(500);
  });

  test('carries the script tag and nothing that a strict content security policy refuses', () => {
    const [script, ...others] = all('script');
    expect(script?.attribs).toEqual({
      async: '',
      src: '/embed.js',
      'data-chatbot': '{{chatbot}}',
      'data-settings': '',
    });
    expect(DomUtils.textContent(script ?? [])).toBe('');
    expect([...others, ...all('style')]).toEqual([]);
    const inline = DomUtils.findAll(
      (one) => Object.keys(one.attribs).some((key) => /^(?:style|on\w+)$/.test(key)),
      [page],
    );
    expect(inline).toEqual([]);
  });

  test('links only to pages and fragments that exist', () => {
    const links = all('a').map((link) => link.attribs['href'] ?? '');
    for (const link of links.filter((to) => !to.startsWith('mailto:'))) {
      const [path = '', part] = link.split('#');
      const target = path ? pages[path] : html;
      expect(target, link).toBeDefined();
      if (part) expect(target, link).toContain(`id="${part}"`);
    }
  });
});

test('the returns page has the number of days in one sentence', () => {
  const text = DomUtils.textContent(parseDocument(pages['returns.html'] ?? '')).replace(/\s+/g, ' ');
  expect(text).toMatch(/You have \d+ days to return something you bought from us[^.]*\./);
});
