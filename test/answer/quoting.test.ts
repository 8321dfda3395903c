import { beforeAll, describe, expect, it } from 'vitest';
import { writeNoAnswer } from '../../server/answer/extract/no-answer.ts';
import { PHRASES } from '../../server/answer/extract/phrases.ts';
import { phrasesFor } from '../../server/answer/extract/phrases.ts';
import type { Found } from '../../server/knowledge/search/found.ts';
import { loadDetector } from '../../server/knowledge/text/detect-language.ts';
import { foundPassage, queryOf } from './search.ts';
import type { LanguageCode } from '../../server/knowledge/text/languages.ts';
import { siteOf } from './site.ts';

const SHOP = await siteOf(
  {
    payments: `<title>Payments</title><h1>Payments</h1><p>We are glad of your money. You can pay with: </p>
      <ul><li>Visa and Mastercard cards</li><li>bank transfer, which takes two days</li><li>cash at the counter</li></ul>
      <h2>What we do not take</h2><ul><li>Cheques of any bank.</li><li>Foreign coins. They are heavy.</li></ul>`,
    shipping: `<title>Shipping</title><h2>Rates and times</h2><p>Postage is charged once for an order.</p>
      <table><tr><th>Service<th>Price<th>Arrives<tr><th>Express<td>£9<td>the next day<tr><th>Standard<td>£4<td>after 3 days</table>`,
    warranty: `<title>Warranty</title><p>Every lamp has a guarantee. It lasts for five years and covers the wiring.
      The bulb is not covered. Bulbs cost two pounds each.</p><p>Write to us if anything breaks.</p>`,
    install: `<title>Install</title><p>To install the lamp driver, run this in a shell:</p><pre>npm install lamp-driver\n  lamp --start</pre>
      <p>Your lamp then blinks twice.</p>`,
    words: `<title>Words</title><dl><dt>Finial</dt><dd>The small knob at the top of a lamp.</dd><dt>Harp</dt><dd>The wire that holds the
      shade.</dd></dl>`,
    lamps: '<title>Lamps</title><p>Our tallest lamp is the Heron. Herons are two metres tall and made of oak.</p>',
    oak: '<title>Wood</title><p>The oak for the Heron comes from Wales.</p>',
  },
  { 'May I visit the workshop?': 'Yes, you may.\n\n1. Ring the bell.\n2. Wait for Ada.' },
);

const textFor = async (query: string): Promise<string> => (await SHOP.answer(query)).text;

describe('an answer of quotations', () => {
  it('quotes a list item with its lead-in, and a short list whole', async () => {
    expect(await textFor('Can I pay by bank transfer?')).toBe(
      'You can pay with: bank transfer, which takes two days [1]',
    );
    expect(await textFor('How can I pay?')).toContain(
      'You can pay with:\n\n- Visa and Mastercard cards\n- bank transfer, which takes two days\n- cash at the counter [1]',
    );
  });

  it('joins Japanese and Chinese sentences without a space', async () => {
    const site = await siteOf({
      ja: '<title>返品</title><p>返品は三十日以内にお願いします。返品の送料は無料です。</p>',
    });
    expect((await site.answer('返品は何日以内で、送料は無料ですか？')).text).toMatch(
      /^返品は三十日以内にお願いします。返品の送料は無料です。 \[1\]$/m,
    );
  });

  it('adds the heading to a list without a lead-in', async () => {
    expect(await textFor('Do you take cheques?')).toBe('What we do not take: Cheques of any bank. [1]');
    expect(await textFor('Do you take foreign coins?')).toContain(
      'What we do not take: Foreign coins. They are heavy. [1]',
    );
  });

  it('ignores a heading that is a syllable of a broken line', async () => {
    const site = await siteOf({
      x: '<title>Files</title><h2>is</h2><ul><li>Sniffing reads the first bytes of a file.</li></ul>',
    });
    expect((await site.answer('What does sniffing read?')).text).toBe('Sniffing reads the first bytes of a file. [1]');
  });

  it('quotes a table row as text', async () => {
    expect(await textFor('How much is express postage?')).toContain(
      'Rates and times: Postage is charged once for an order. Express — Price: £9; Arrives: the next day [',
    );
  });

  it('quotes a sentence that refers back with the one before it, and joins adjacent sentences', async () => {
    expect(await textFor('How long does the guarantee last?')).toContain(
      'Every lamp has a guarantee. It lasts for five years and covers the wiring.',
    );
    expect(await textFor('Is the bulb covered, what do bulbs cost?')).toContain(
      'The bulb is not covered. Bulbs cost two pounds each. [1]',
    );
  });

  it('quotes code in a fence, with its lead-in', async () => {
    expect(await textFor('how do I install the driver')).toContain(
      'To install the lamp driver, run this in a shell:\n\n```\nnpm install lamp-driver\n  lamp --start\n```\n\n[1]',
    );
  });

  it('quotes a question on the page with its answer', async () => {
    const site = await siteOf({
      faq: '<title>FAQ</title><p>How do I clean the brass?</p><p>With vinegar and salt. Rub it dry.</p>',
    });
    expect((await site.answer('how to clean the brass')).text).toContain(
      'How do I clean the brass?\n\nWith vinegar and salt.',
    );
  });

  it('takes no word of the site’s for a name that is nowhere on it, but forgives a slip in a long one', async () => {
    const filler = Array.from(
      { length: 40 },
      (_, at) => `<p>Lamp number ${at} of the long list stands in hall ${at}.</p>`,
    );
    const site = await siteOf({
      types: '<title>Types</title><p>Operators are written in capital letters.</p>',
      ink: '<title>Ink</title><p>Let us be frank: ink fades.</p>',
      castle: '<title>Castle</title><p>Neuschwanstein is a castle in the hills, and has one lamp.</p>',
      list: `<title>List</title>${filler.join('')}`,
    });
    expect((await site.answer('What is the capital of France?')).text).toContain('don’t know');
    expect((await site.answer('Which castle is Neuschwanstien?')).text).toContain('Neuschwanstein is a castle');
  });

  it('says that it is not sure where the closest page lacks words for much of the question', async () => {
    const site = await siteOf({
      shipping: '<title>Shipping</title><h1>Shipping</h1><p>A parcel to Sweden costs £12. It takes four days.</p>',
      returns: '<title>Returns</title><p>You may send back a lamp within 45 days.</p>',
    });
    expect((await site.answer('What does a parcel to Sweden cost?')).text).toMatch(/^A parcel to Sweden costs £12/);
    const unsure = 'I am not sure. The closest that I have read:\n\nA parcel to Sweden costs £12';
    expect((await site.answer('What does a parcel to Sweden cost when it is insured and very heavy?')).text).toContain(
      unsure,
    );
    expect((await site.answer('Do you rent out bicycles by courier?')).text).toContain('don’t know');
  });

  it.each([
    ['holds none of the kind of thing asked for', 'How much is a veneer?'],
    ['has another word with nearly the letters of the one asked for', 'parking?'],
    ['lacks what the question points back to', 'I cannot come tomorrow morning. Will that cost me anything?'],
  ])('is not sure of a quotation that %s', async (_, question) => {
    const site = await siteOf({
      veneers: '<title>Veneers</title><p>A veneer hides a chipped tooth and lasts for long.</p>',
      packing: '<title>Packing</title><p>The packing of our instruments is done by hand.</p>',
      crowns: '<title>Crowns</title><p>The cost of a crown is £90.</p>',
    });
    expect((await site.answer('What does a veneer hide?')).text).toMatch(/^A veneer hides a chipped tooth/);
    expect((await site.answer('What does a crown cost?')).text).toMatch(/^The cost of a crown is £90/);
    expect((await site.answer(question)).text).toMatch(/^I am not sure. /);
  });

  it('gives a definition with its term', async () => {
    expect(await textFor('What is a finial?')).toContain('Finial: The small knob at the top of a lamp. [1]');
  });

  it('quotes an answer of the owner whole, without an introduction or other quotes', async () => {
    expect(await textFor('Can I visit your workshop?')).toBe(
      'Yes, you may.\n\n1. Ring the bell.\n2. Wait for Ada. [1]',
    );
  });

  it('says when it comes from several pages, with a marker for each', async () => {
    const { text, citations } = await SHOP.answer('Heron oak');
    expect(text).toMatch(/^Several pages say something about this:\n\n/);
    expect(text).toContain('The oak for the Heron comes from Wales. [');
    expect(new Set(Object.values(citations).map(({ title }) => title))).toEqual(new Set(['Wood', 'Lamps']));
  });

  it('cites word for word what stands in a passage, whatever is asked', async () => {
    const queries = ['pay', 'lamp', 'Express', 'bulb', 'driver', 'harp', 'oak Heron', 'Cheques', 'visit'];
    for (const query of queries) {
      const { text, citations } = await SHOP.answer(query);
      const passages = SHOP.search(query).found.map((one) => one.text);
      expect(Object.keys(citations).length, query).toBeGreaterThan(0);
      for (const [n, cited] of Object.entries(citations)) {
        expect(text).toContain(`[${n}]`);
        expect(passages.some((passage) => passage.includes(cited.text) && cited.text !== '')).toBe(true);
      }
    }
  });
});

describe('an answer of quotations in another language', async () => {
  const site = await siteOf({
    zh: '<title>退货</title><p>您可以在收到商品后三十天内退货。定制的台灯不能退货。</p><p>我们的电话是 010-5555-0123。</p>',
    de: `<title>Rückgabe</title><p>Sie können Lampen innerhalb von dreißig Tagen zurückgeben. Der Versand nach Österreich kostet 12 Euro.
      Unsere Werkstatt wurde 1974 gegründet.</p><p>Die Werkstatt liegt an der alten Brücke in Weimar.</p>`,
  });

  it.each([
    ['收到商品后多久可以退货？', '您可以在收到商品后三十天内退货。'],
    ['你们的电话号码是多少？', '010-5555-0123'],
    ['Was kostet der Versand nach Österreich?', 'Der Versand nach Österreich kostet 12 Euro.'],
    ['Wann wurde die Werkstatt gegründet?', '1974'],
  ])('to %j is %j', async (query, words) => {
    expect((await site.answer(query)).text).toContain(words);
  });

  it.each([
    ['法国的首都是哪里？', '我不知道'],
    ['Wie hoch ist der Mount Everest?', 'Das weiß ich nicht'],
  ])('to %j is that it is not known: %j', async (query, words) => {
    expect((await site.answer(query)).text).toContain(words);
  });
});

describe('“I don’t know”', () => {
  const found = (title: string, file_name: string): Found =>
    foundPassage({ uuid: title + file_name, title, file_name, type: 'link' }, '');

  it('is two lines at least, with links to the two closest pages', async () => {
    const { query, found: closest } = SHOP.search('do you send lamps to orders?');
    const text = writeNoAnswer(query, closest);
    expect(text.split('\n').length).toBeGreaterThanOrEqual(2);
    expect(text).toMatch(/don’t know/);
    expect(text.match(/^- \[\w+\]\(https:\/\/shop\.example\/\w+\)$/gm)).toHaveLength(2);
    expect(writeNoAnswer(queryOf('?'), []).split('\n').length).toBeGreaterThanOrEqual(2);
  });

  it('escapes Markdown in titles and addresses', () => {
    const text = writeNoAnswer(queryOf('?'), [
      found('a](http://evil.example) [b', 'https://ok.example/a_(b) c'),
      found('Notes <b>.pdf', 'javascript:alert(1)'),
    ]);
    expect(text).toContain('- [a\\](http://evil.example) \\[b](https://ok.example/a_%28b%29%20c)');
    expect(text).toContain('- Notes \\<b\\>.pdf');
    expect(text).not.toContain('javascript');
  });

  it('links no page twice, and none without a name', () => {
    const text = writeNoAnswer(queryOf('?'), [
      found(' \u200b\n', 'https://ok.example/a'),
      found('The same', 'https://ok.example/a#part'),
      found('', ''),
      found('Other', 'https://ok.example/b'),
    ]);
    expect(text.split('\n').slice(-2)).toEqual([
      '- [ok.example/a](https://ok.example/a)',
      '- [Other](https://ok.example/b)',
    ]);
  });
});

describe('the phrases of extractive answers', () => {
  beforeAll(loadDetector);

  const QUESTIONS: Record<LanguageCode, string> = {
    en: 'How much does it cost to send a lamp to Wales?',
    de: 'Wie viel kostet der Versand nach Österreich?',
    es: '¿Cuánto cuesta el envío a la isla?',
    fr: 'Combien coûte la livraison pour la Suisse ?',
    it: 'Quanto costa la spedizione per la Sicilia?',
    pt: 'Quanto custa o envio para a ilha e quando chega?',
    nl: 'Hoeveel kost het om de lamp naar België te sturen?',
    pl: 'Ile kosztuje wysyłka do Niemiec?',
    sv: 'Hur mycket kostar det att skicka lampan till Norge?',
    da: 'Hvad koster det at sende lampen til Norge?',
    fi: 'Kuinka paljon se maksaa ja mitä se on?',
    hu: 'Mennyibe kerül a szállítás, és mikor érkezik meg?',
    ro: 'Cât costă livrarea și când ajunge la mine?',
    tr: 'Kargo ücreti ne kadar ve bu lamba için hangi gün gelir?',
    vi: 'Phí giao hàng là bao nhiêu?',
    ru: 'Сколько стоит доставка?',
    el: 'Πόσο κοστίζει η αποστολή;',
    ar: 'كم تكلفة الشحن؟',
    hi: 'शिपिंग का खर्च कितना है?',
    th: 'ค่าจัดส่งเท่าไร',
    zh: '运费是多少？',
    ja: '送料はいくらですか？',
    ko: '배송비는 얼마입니까?',
    bg: 'Колко струва доставката?',
    cs: 'Kolik stojí doprava do Německa?',
    he: 'כמה עולה המשלוח?',
    nb: 'Hvor mye koster det å sende lampen til Sverige?',
    uk: 'Скільки коштує доставка?',
  };

  it.each(Object.entries(QUESTIONS))('is in the language of the question: %s', (language, query) => {
    expect(phrasesFor(queryOf(query), [])).toBe(PHRASES[language as LanguageCode]);
    expect(writeNoAnswer(queryOf(query), [])).toContain(PHRASES[language as LanguageCode].unknown);
  });

  it('is in the language of the pages where the question has too few words to tell', () => {
    const german = [{ text: 'Wir nehmen die Lampe innerhalb von 30 Tagen zurück, wenn sie nicht benutzt ist.' }];
    expect(phrasesFor(queryOf('Rückgabe Lampe'), german)).toBe(PHRASES.de);
    expect(phrasesFor(queryOf('Visa?'), [])).toBe(PHRASES.en);
    expect(phrasesFor(queryOf('Docker 是什么？'), [])).toBe(PHRASES.zh);
    expect(phrasesFor(queryOf('What does 是 mean in this text, please?'), [])).toBe(PHRASES.en);
    expect(phrasesFor(queryOf('How do I get to the workshop on foot?'), german)).toBe(PHRASES.en);
  });

  it('has all sentences in every language, none of them twice', () => {
    const all = Object.values(PHRASES).flatMap((one) => Object.values(one));
    expect(all.every((sentence) => sentence.trim() === sentence && sentence.length > 3)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });
});
