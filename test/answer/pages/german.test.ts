import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

/** What each page tells, and how a visitor asks for it in other words. */
const PAGES: [question: string, text: string][] = [
  ['Wie teuer ist das Porto?', 'Die Versandkosten betragen fünf Euro je Sendung.'],
  ['Gibt es einen Nachlass für Schüler?', 'Lernende erhalten einen Rabatt von zehn Prozent.'],
  ['Kann ich das in Raten begleichen?', 'Eine Teilzahlung ist ab hundert Euro möglich.'],
  ['Habt ihr einen Fahrstuhl?', 'Der Aufzug fährt in alle Stockwerke.'],
  ['Wann wird der Müll geholt?', 'Der Restmüll wird am Dienstag vor sechs Uhr geleert.'],
];

const site = () =>
  siteOf(Object.fromEntries(PAGES.map(([, text], at) => [`${at}.html`, `<title>Seite ${at}</title><p>${text}</p>`])));

it.each(PAGES)('%s finds "%s"', async (question, text) => {
  expect((await site()).search(question).found[0]?.text).toContain(text);
});

it('takes no German synonym for an English word', async () => {
  const english = await siteOf({
    'a.html': '<title>Art</title><p>The art school paints the bar and the rate house.</p>',
  });
  const { terms, termByRoot } = english.search('What is the bar?').query;
  expect(terms.map(({ word }) => word)).toEqual(['bar']);
  expect(termByRoot.size).toBe(1);
});
