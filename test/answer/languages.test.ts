import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeNoAnswer } from '../../server/answer/extract/no-answer.ts';
import { PHRASES } from '../../server/answer/extract/phrases.ts';
import { phrasesFor } from '../../server/answer/extract/phrases.ts';
import { STOP_WORDS } from '../../server/knowledge/text/stopwords.ts';
import { LANGUAGES, type LanguageCode } from '../../server/knowledge/text/languages.ts';
import { loadDetector } from '../../server/knowledge/text/detect-language.ts';
import { queryOf } from './search.ts';
import { stem, stemsFor } from '../../server/knowledge/text/stems.ts';
import type { Language } from '../../server/knowledge/text/language.ts';

const spoken = Object.keys(LANGUAGES) as LanguageCode[];
const spaced = spoken.filter((one) => !('unspaced' in LANGUAGES[one]));

/** Short ones, as visitors type them; the sixth of most is no question. */
const QUESTIONS: Record<LanguageCode, string[]> = {
  bg: [
    'Как да върна стола?',
    'Колко струва доставката?',
    'Работите ли в неделя?',
    'Къде се намира музеят?',
    'Мога ли да платя с карта?',
    'работно време',
    'Кога ще пристигне поръчката ми?',
  ],
  uk: [
    'Як повернути стілець?',
    'Скільки коштує доставка?',
    'Чи працюєте ви в неділю?',
    'Де знаходиться музей?',
    'Чи можна оплатити карткою?',
    'графік роботи',
    'Коли прийде моє замовлення?',
  ],
  ru: [
    'Как вернуть стул?',
    'Сколько стоит доставка?',
    'Вы работаете в воскресенье?',
    'Где находится музей?',
    'Можно ли оплатить картой?',
    'часы работы',
    'Когда придёт мой заказ?',
  ],
  nb: [
    'Hvordan returnerer jeg stolen?',
    'Hva koster frakten?',
    'Har dere åpent på søndager?',
    'Hvor ligger museet?',
    'Kan jeg betale med kort?',
    'åpningstider',
    'Når kommer bestillingen min?',
  ],
  da: [
    'Hvordan returnerer jeg stolen?',
    'Hvad koster fragten?',
    'Har I åbent om søndagen?',
    'Hvor ligger museet?',
    'Kan jeg betale med kort?',
    'åbningstider',
    'Hvornår kommer min bestilling?',
  ],
  sv: [
    'Hur returnerar jag stolen?',
    'Vad kostar frakten?',
    'Har ni öppet på söndagar?',
    'Var ligger museet?',
    'Kan jag betala med kort?',
    'öppettider',
    'När kommer min beställning?',
  ],
  cs: [
    'Jak vrátím židli?',
    'Kolik stojí doprava?',
    'Máte otevřeno v neděli?',
    'Kde se nachází muzeum?',
    'Mohu platit kartou?',
    'otevírací doba',
    'Kdy dorazí moje objednávka?',
  ],
  he: [
    'איך מחזירים את הכיסא?',
    'כמה עולה המשלוח?',
    'אתם פתוחים בשבת?',
    'איפה נמצא המוזיאון?',
    'אפשר לשלם בכרטיס אשראי?',
    'שעות פתיחה',
    'מתי תגיע ההזמנה שלי?',
  ],
  pl: [
    'Jak zwrócić krzesło?',
    'Ile kosztuje dostawa?',
    'Czy pracujecie w niedzielę?',
    'Gdzie znajduje się muzeum?',
    'Czy mogę zapłacić kartą?',
    'godziny otwarcia',
    'Kiedy dotrze moje zamówienie?',
  ],
  de: [
    'Wie gebe ich den Stuhl zurück?',
    'Was kostet der Versand?',
    'Habt ihr sonntags geöffnet?',
    'Wo ist das Museum?',
    'Kann ich mit Karte zahlen?',
    'Öffnungszeiten',
    'Wann kommt meine Bestellung?',
  ],
  nl: [
    'Hoe stuur ik de stoel terug?',
    'Wat kost de verzending?',
    'Zijn jullie open op zondag?',
    'Waar is het museum?',
    'Kan ik met een kaart betalen?',
    'openingstijden',
    'Wanneer komt mijn bestelling?',
  ],
  en: [
    'How do I return the chair?',
    'How much is shipping?',
    'Are you open on Sundays?',
    'Where is the museum?',
    'Can I pay by card?',
    'opening hours',
    'When will my order arrive?',
  ],
  es: [
    '¿Cómo devuelvo la silla?',
    '¿Cuánto cuesta el envío?',
    '¿Abren los domingos?',
    '¿Dónde está el museo?',
    '¿Puedo pagar con tarjeta?',
    'horario de apertura',
    '¿Cuándo llega mi pedido?',
  ],
  fr: [
    'Comment retourner la chaise ?',
    'Combien coûte la livraison ?',
    'Êtes-vous ouverts le dimanche ?',
    'Où se trouve le musée ?',
    'Puis-je payer par carte ?',
    "horaires d'ouverture",
    'Quand arrive ma commande ?',
  ],
  it: [
    'Come restituisco la sedia?',
    'Quanto costa la spedizione?',
    'Siete aperti la domenica?',
    "Dov'è il museo?",
    'Posso pagare con la carta?',
    'orari di apertura',
    'Quando arriva il mio ordine?',
  ],
  pt: [
    'Como devolvo a cadeira?',
    'Quanto custa o envio?',
    'Abrem ao domingo?',
    'Onde fica o museu?',
    'Posso pagar com cartão?',
    'horário de funcionamento',
    'Quando chega a minha encomenda?',
  ],
  ro: [
    'Cum returnez scaunul?',
    'Cât costă livrarea?',
    'Sunteți deschiși duminica?',
    'Unde se află muzeul?',
    'Pot plăti cu cardul?',
    'program de lucru',
    'Când ajunge comanda mea?',
  ],
  fi: [
    'Miten palautan tuolin?',
    'Paljonko toimitus maksaa?',
    'Oletteko auki sunnuntaisin?',
    'Missä museo on?',
    'Voinko maksaa kortilla?',
    'aukioloajat',
    'Milloin tilaukseni saapuu?',
  ],
  hu: [
    'Hogyan küldhetem vissza a széket?',
    'Mennyibe kerül a szállítás?',
    'Nyitva vannak vasárnap?',
    'Hol van a múzeum?',
    'Fizethetek kártyával?',
    'nyitvatartás',
    'Mikor érkezik meg a rendelésem?',
  ],
  tr: [
    'Sandalyeyi nasıl iade ederim?',
    'Kargo ücreti ne kadar?',
    'Pazar günü açık mısınız?',
    'Müze nerede?',
    'Kartla ödeyebilir miyim?',
    'çalışma saatleri',
    'Siparişim ne zaman gelir?',
  ],
  vi: [
    'Làm sao để trả lại ghế?',
    'Phí vận chuyển bao nhiêu?',
    'Chủ nhật có mở cửa không?',
    'Bảo tàng ở đâu?',
    'Tôi có thể trả bằng thẻ không?',
    'giờ mở cửa',
    'Khi nào đơn hàng của tôi đến?',
  ],
  el: ['Πώς επιστρέφω την καρέκλα;', 'Πόσο κοστίζει η αποστολή;', 'ωράριο'],
  ar: ['كيف أعيد الكرسي؟', 'كم تكلفة الشحن؟', 'ساعات العمل'],
  hi: ['मैं कुर्सी कैसे लौटाऊँ?', 'डिलीवरी का शुल्क कितना है?'],
  th: ['จะคืนเก้าอี้ได้อย่างไร', 'ค่าจัดส่งเท่าไหร่'],
  zh: ['如何退货？', '运费多少？'],
  ja: ['椅子を返品するにはどうすればいいですか？', '送料はいくらですか？'],
  ko: ['의자를 어떻게 반품하나요?', '배송비는 얼마인가요?'],
};

describe('the table of languages', () => {
  it('has every language that the widget has words for', () => {
    const files = readdirSync('widget/words').flatMap((name) => /^([a-z]{2})\.ts$/.exec(name)?.[1] ?? []);
    expect(files.filter((language) => !spoken.includes(language as LanguageCode))).toEqual([]);
  });

  it('is covered by the replies, and by the common words of those that put spaces between words', () => {
    expect(Object.keys(PHRASES).toSorted()).toEqual(spoken.toSorted());
    expect(Object.keys(STOP_WORDS).toSorted()).toEqual(spaced.toSorted());
  });

  it('names only stemmers that there are', async () => {
    await stemsFor('Привет');
    const words: Partial<Record<LanguageCode, [string, string]>> = {
      cs: ['objednávky', 'objednávka'],
      nb: ['bestillingene', 'bestilling'],
      ru: ['возвраты', 'возврат'],
      de: ['lampen', 'lampe'],
    };
    for (const language of spaced) expect(() => stem('abcdefg', language as Language)).not.toThrow();
    for (const [language, [one, other]] of Object.entries(words))
      expect(stem(one, language as Language), language).toBe(stem(other, language as Language));
  });
});

describe('a short question', () => {
  beforeAll(loadDetector);

  const replyLanguage = (question: string, site: string[], accepted: string[] = []): LanguageCode | undefined => {
    const phrases = phrasesFor(queryOf(question), site.length > 0 ? [{ text: site.join(' ') }] : [], accepted);
    return spoken.find((language) => PHRASES[language] === phrases);
  };

  it.each(spoken)('is answered in its language on a site of it: %s', (language) => {
    const [first, second] = QUESTIONS[language];
    expect(
      [first, second].filter((question) => replyLanguage(question!, QUESTIONS[language]) !== language).length,
    ).toBeLessThan(2);
    expect(writeNoAnswer(queryOf(second!), []).split('\n').length).toBeGreaterThanOrEqual(2);
  });

  it('has its language detected in 90 % of cases alone, and in 95 % with the site', () => {
    const all = spoken.flatMap((language) => QUESTIONS[language].map((question) => [language, question] as const));
    const share = (site: boolean) =>
      all.filter(([language, question]) => replyLanguage(question, site ? QUESTIONS[language] : []) === language)
        .length / all.length;
    expect(share(false)).toBeGreaterThan(0.9);
    expect(share(true)).toBeGreaterThan(0.95);
  });

  it('takes the browser’s language where its words are ambiguous, whatever the site', () => {
    const all = spoken.flatMap((language) => QUESTIONS[language].map((question) => [language, question] as const));
    const right = all.filter(
      ([language, question]) =>
        replyLanguage(question, QUESTIONS.en, [`${language}-XX`, language, 'en-US', 'en']) === language,
    );
    expect(right.length / all.length).toBeGreaterThan(0.98);
    expect(replyLanguage('Hvor lenge kan jeg returnere en vare?', QUESTIONS.en, ['nb-NO', 'nb', 'en'])).toBe('nb');
    expect(replyLanguage('Hvordan betaler jeg?', QUESTIONS.de, ['no', 'en'])).toBe('nb');
    expect(replyLanguage('Hvordan betaler jeg?', QUESTIONS.de, ['da', 'en'])).toBe('da');
    expect(replyLanguage('Miten maksan?', QUESTIONS.en, ['fi-FI', 'en'])).toBe('fi');
  });

  it('is answered in its own language where its words are unambiguous, whatever the browser asks for', () => {
    expect(replyLanguage('How much is shipping to Norway?', QUESTIONS.nb, ['nb-NO', 'nb'])).toBe('en');
    expect(replyLanguage('Wie lange kann ich etwas umtauschen?', QUESTIONS.en, ['fr-FR', 'fr', 'en'])).toBe('de');
    expect(replyLanguage('Чи можна оплатити карткою?', QUESTIONS.en, ['ru', 'en'])).toBe('uk');
    expect(replyLanguage('営業時間', QUESTIONS.en, ['de'])).toBe('zh');
  });

  it('prefers the language of the site to the English that nearly every browser accepts', () => {
    expect(replyLanguage('Öffnungszeiten', QUESTIONS.de, ['en-US', 'en'])).toBe('de');
    expect(replyLanguage('Vendete sci?', QUESTIONS.it, ['en-US', 'en'])).toBe('it');
    expect(replyLanguage('retur?', QUESTIONS.nb, ['en'])).toBe('nb');
  });

  it('is never taken for a language whose alphabet lacks its letters', () => {
    expect(replyLanguage('Prodáváte lyže?', QUESTIONS.en)).toBe('cs');
    // Slovak: we have no sentences in it.
    expect(replyLanguage('Predávate lyže?', QUESTIONS.en, ['sk-SK', 'sk', 'en'])).toBe('cs');
    expect(replyLanguage('¿Venden esquís?', QUESTIONS.en)).toBe('es');
    expect(replyLanguage('Müze nerede?', QUESTIONS.en, ['pl', 'tr'])).toBe('tr');
  });

  it('falls back to an expected language where detection is weak', () => {
    expect(replyLanguage('Selger dere skateboard?', [])).toBe('nb');
    expect(replyLanguage('skateboard price', QUESTIONS.en, ['*'])).toBe('en');
    expect(replyLanguage('Riparate biciclette', [], ['xx', 'constructor', '', '__proto__', '*'])).toBe('en');
  });

  it('in Cyrillic is told apart as Ukrainian, Bulgarian or Russian', () => {
    expect(replyLanguage('Чи можна оплатити карткою?', QUESTIONS.ru)).toBe('uk');
    expect(replyLanguage('Мога ли да платя с карта?', QUESTIONS.ru)).toBe('bg');
    expect(replyLanguage('Можно ли оплатить картой?', QUESTIONS.uk)).toBe('ru');
  });
});
