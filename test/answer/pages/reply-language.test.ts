import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PHRASES, phrasesFor } from '../../../server/answer/extract/phrases.ts';
import type { LanguageCode } from '../../../server/knowledge/text/languages.ts';
import { loadDetector } from '../../../server/knowledge/text/detect-language.ts';
import { queryOf } from '../search.ts';
import { siteOf, type Site } from '../site.ts';

const SITES = 'test/bench/visitors';
const pagesOf = (site: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(`${SITES}/${site}/pages`).map((name) => [name, readFileSync(`${SITES}/${site}/pages/${name}`, 'utf8')]),
  );

const page = (title: string, ...paragraphs: string[]): string =>
  `<title>${title}</title><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`;

const PAGES: Partial<Record<LanguageCode, Record<string, string>>> = {
  en: pagesOf('pool'),
  de: pagesOf('bikes'),
  fr: {
    horaires: page(
      'Horaires et accès',
      'Le musée est ouvert du mardi au dimanche de 10 h à 18 h. Il est fermé le lundi et le 1er mai.',
      'Le parking est gratuit pour les visiteurs, à 200 mètres de l’entrée.',
    ),
    tarifs: page(
      'Tarifs',
      'L’entrée coûte 9 euros ; pour les enfants de moins de 12 ans elle est gratuite.',
      'Les billets ne sont ni repris ni échangés, sauf si le musée est fermé.',
    ),
  },
  nl: {
    bezoek: page(
      'Bezoek',
      'Wij zijn open van dinsdag tot en met zaterdag van 10 tot 17 uur. Op zondag en maandag zijn wij gesloten.',
      'Parkeren kan gratis achter het gebouw. Een kaartje kost 8 euro en kinderen krijgen de helft van de prijs.',
    ),
  },
  it: {
    visita: page(
      'La visita',
      'Il museo è aperto tutti i giorni dalle 9 alle 19, la domenica fino alle 13.',
      'Il biglietto costa 10 euro. Il rimborso è possibile fino a due giorni prima della visita.',
    ),
  },
  es: {
    visita: page(
      'La visita',
      'El museo abre de martes a domingo de 10 a 20 horas. Los lunes está cerrado.',
      'La entrada cuesta 8 euros y se puede devolver hasta un día antes. No hay aparcamiento para los coches.',
    ),
  },
  hu: {
    latogatas: page(
      'Látogatás',
      'A múzeum keddtől vasárnapig 10 és 18 óra között van nyitva. Hétfőn zárva vagyunk.',
      'A belépő ára 2000 forint, a gyerekeknek ingyenes. A parkoló a bejárat mellett van.',
    ),
  },
  sv: {
    besok: page(
      'Ditt besök',
      'Museet är öppet alla dagar från 10 till 17. På måndagar är det stängt.',
      'Biljetten kostar 120 kronor och barn går in gratis. Det finns parkering vid ingången.',
    ),
  },
};

/** By the language of the site, then of the reply: the site's own where a question tells nothing. */
const QUESTIONS: Partial<Record<LanguageCode, Partial<Record<LanguageCode, string[]>>>> = {
  en: {
    en: [
      'Opening hours?',
      'Is it open?',
      'refund?',
      'Any discounts?',
      'Do you deliver?',
      'parking?',
      'Is breakfast included?',
      'late fee',
      'cancel booking',
      'How old?',
      'What is the price?',
      'kids tickets',
      'wheelchair access?',
      'Lost my card',
      'gift vouchers?',
      'Got a minimum order?',
      'season pass price',
      'Where to park',
      'on Sundays?',
      'Pets?',
      'Can I bring a dog?',
      'group rate',
      'no receipt',
      'membership',
    ],
    de: [
      'Wann habt ihr offen?',
      'Was kostet das?',
      'Kann ich umbuchen?',
      'Gibt es einen Parkplatz?',
      'Ich habe meine Karte verloren',
      'Wo finde ich euch?',
    ],
    fr: ['Quels sont vos horaires ?', "Est-ce que c'est ouvert ?", 'Combien ça coûte ?'],
  },
  de: { de: ['Preise?', 'Ersatzteile', 'Samstag offen', 'Termin absagen'], en: ['How do I cancel my appointment?'] },
  fr: {
    fr: ['Horaires ?', 'remboursement ?', "C'est ouvert ?", 'tarif enfant', 'parking gratuit', 'livraison dimanche'],
    en: ['What are the opening hours?', 'How do I get a refund?', 'Where can I park my car?'],
  },
  nl: { nl: ['Open op zondag?', 'parkeren?', 'korting', 'wat kost het'] },
  it: { it: ['orari?', 'rimborso', 'quanto costa', 'aperto domenica?'] },
  es: { es: ['horario', 'precio entrada', 'devoluciones', 'hay parking?'] },
  hu: { hu: ['nyitvatartás?', 'árak', 'van parkoló?'] },
  sv: { sv: ['öppettider', 'pris barn', 'finns parkering?'] },
};

const LANGUAGES = Object.keys(PHRASES) as LanguageCode[];

describe('a short question without a language of the browser', () => {
  const sites = new Map<string, Site>();
  beforeAll(loadDetector);
  beforeAll(async () => {
    for (const [language, pages] of Object.entries(PAGES)) sites.set(language, await siteOf(pages));
  });

  const wrongOf = (isFound: boolean): string[] =>
    Object.entries(QUESTIONS).flatMap(([site, byReply]) =>
      Object.entries(byReply).flatMap(([reply, questions]) =>
        questions.flatMap((question) => {
          const { query, found } = sites.get(site)!.search(question);
          const phrases = phrasesFor(query, isFound ? found : []);
          const language = LANGUAGES.find((one) => PHRASES[one] === phrases);
          return language === reply ? [] : [`${site}: ${question} -> ${language}`];
        }),
      ),
    );

  it('is answered in the site’s own language, unless its words tell another', () => {
    expect(wrongOf(true)).toEqual([]);
  });

  it('is so too where nothing is found', () => {
    expect(wrongOf(false)).toEqual([]);
  });

  it('is answered in English where the site has no text yet, if it is no clear word of another language', () => {
    const replyLanguage = (question: string) =>
      LANGUAGES.find((one) => PHRASES[one] === phrasesFor(queryOf(question), []));
    const all = QUESTIONS.en!.en!.map((question) => [question, replyLanguage(question)]);
    expect(all.filter(([, language]) => language !== 'en')).toEqual([]);
    expect(replyLanguage('nyitvatartás?')).toBe('hu');
    expect(replyLanguage('Öffnungszeiten')).toBe('de');
  });
});
