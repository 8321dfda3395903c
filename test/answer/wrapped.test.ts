import { expect, describe, it } from 'vitest';
import { siteOf } from './site.ts';

const SHOP = await siteOf({
  payments: `<title>Payments</title><p>You can pay by bank transfer, which takes two days. We take no cheques.</p>`,
  shipping: '<title>Shipping</title><p>A lamp arrives within three days. Postage to Wales is £4 for an order.</p>',
  heron: '<title>Heron</title><p>The Heron is our tallest lamp. It is waterproof and may stand outside.</p>',
  wren: '<title>Wren</title><p>The Wren is our smallest lamp. It is not waterproof; keep it in the house.</p>',
  help: '<title>Help</title><p>We help you with every lamp. Ask for help at any hour.</p>',
  german: `<title>Zahlung</title><p>Sie können per Banküberweisung bezahlen, das dauert zwei Tage. Die Rücksendung einer Lampe ist
    kostenlos.</p>`,
  french: `<title>Paiement</title><p>Vous pouvez payer par virement bancaire, ce qui prend deux jours. Le retour d’une lampe est
    gratuit.</p>`,
  chinese: '<title>付款</title><p>您可以通过银行转账付款，需要两天时间。台灯的退货是免费的。</p>',
});

const WRAPPINGS: [what: string, wrap: (question: string) => string][] = [
  ['polite', (asked) => `Hello, I hope you are well. ${asked} Thanks a lot in advance! Kind regards`],
  [
    'a mail',
    (asked) => `Dear lamp team,\n\n${asked}\n\nKind regards,\nBartholomew Featherstone\n12 Elm Street, Bristol`,
  ],
  [
    'after a story',
    (asked) => `My mother gave me money for my birthday last week. I never bought one before. ${asked}`,
  ],
  [
    'a mail in broken lines',
    (asked) =>
      `Good morning,\n\nmy neighbour, who has lived here for twenty years or more, told\nme about you. ${asked}\n\nCheers`,
  ],
  ['in one sentence', (asked) => `Hi there, I hope you are doing well, ${asked[0]!.toLowerCase()}${asked.slice(1)}`],
  ['behind a lead-in', (asked) => `Excuse me, one thing I could not find anywhere on here: ${asked}`],
  ['behind a hedge', (asked) => `ok this may sound silly but ${asked[0]!.toLowerCase()}${asked.slice(1)}`],
  ['typed in a chat', (asked) => `hiii 😊 ${asked.toLowerCase().replace('?', '')} thx 🙏`],
  ['all lower case', (asked) => `hello there, i am new here and a bit lost. ${asked.toLowerCase()} thanks a lot.`],
  [
    'before a story, without a mark',
    (asked) => `${asked.replace('?', '')} My brother says one thing and my aunt another, so I wrote to you. Have fun!`,
  ],
  [
    'before reasons, without a mark',
    (asked) =>
      `${asked.replace('?', '')} I am asking because my uncle tells me one thing and the shop in town another, so now I would like to know it for good.`,
  ],
  [
    'before a story that begins with a common word',
    (asked) =>
      `${asked.toLowerCase().replace('?', '')} The leaflet in the box did not tell me, so I thought I would try it here.`,
  ],
  ['before thanks in short', (asked) => `hi ${asked.toLowerCase().replace('?', '')} thx a lot, sorry for my spelling`],
  ['sent from a phone', (asked) => `Hi team,\n${asked.replace('?', '')}\nBest,\nHelp\nSent from my phone`],
  ['behind a hedge with “if”', (asked) => `Sorry if this is a stupid question but ${asked.toLowerCase()}`],
  [
    'behind a story of others, without a mark',
    (asked) =>
      `so my friend told me about you, she was there in May and loved it. anyway ${asked.toLowerCase().replace('?', '')}`,
  ],
  [
    'behind what does not ask, without a mark',
    (asked) => `My son does not like surprises and never did, so we read up on things. ${asked.replace('?', '')}`,
  ],
  [
    'behind a relative clause, without a mark',
    (asked) => `My neighbour, who knows everybody here, told me to write to you. ${asked.replace('?', '')}`,
  ],
  ['before a remark in brackets', (asked) => `${asked.replace('?', '')} (I looked in the list, no luck)`],
  [
    'before a sentence that begins with a time, without a mark',
    (asked) => `${asked.replace('?', '')} Last time I got it wrong, which cost me an afternoon!`,
  ],
  [
    'before a wish without a subject, without a mark',
    (asked) => `${asked.replace('?', '')} Would be great to hear back before Friday, we have to plan`,
  ],
  [
    'behind a formal salutation, without a mark',
    (asked) =>
      `To whom it may concern: I am writing on behalf of my parents. ${asked.replace('?', '')} Sincerely, R. Okafor`,
  ],
  ['between dashes', (asked) => `Good evening - ${asked.replace('?', '')} - thank you kindly`],
  [
    'beside Spanish, without a mark',
    (asked) => `Buenas, soy nuevo en la ciudad y mi inglés no es muy bueno, perdón. ${asked.replace('?', '')}`,
  ],
  ['before a doubt', (asked) => `${asked} Does that sound stupid?`],
  ['in German', (asked) => `Guten Tag, ich hätte da mal eine kurze Frage: ${asked} Vielen Dank und schöne Grüße!`],
  ['in French', (asked) => `Bonjour, pouvez-vous m’aider ? Je ne trouve pas sur le site. ${asked} Merci d’avance.`],
  ['in Spanish', (asked) => `Hola, ¿me pueden ayudar? Llevo un rato con esto: ${asked} Muchas gracias y un saludo.`],
  ['in Italian', (asked) => `Salve, posso fare una domanda? ${asked} Grazie mille e buona giornata!`],
  ['in Portuguese', (asked) => `Oi pessoal, tudo bem? ${asked} Desde já muito obrigada.`],
  ['in Dutch', (asked) => `Hoi, ik kom er zelf niet uit: ${asked.replace('?', '')} Bedankt voor de moeite!`],
  ['in Polish', (asked) => `Dzień dobry, mam krótkie pytanie: ${asked} Z góry dziękuję za odpowiedź`],
  ['in Turkish', (asked) => `Merhaba, yardımcı olabilir misiniz? ${asked} Şimdiden çok teşekkür ederim.`],
  ['in Russian', (asked) => `Здравствуйте, вы можете помочь? ${asked} Заранее большое спасибо!`],
  ['in Arabic', (asked) => `السلام عليكم، هل يمكنكم مساعدتي؟ ${asked} شكرا جزيلا لكم`],
  ['in Chinese', (asked) => `你好，打扰一下。可以帮我吗？${asked}十分感谢！`],
  ['in Thai', (asked) => `สวัสดีค่ะ รบกวนสอบถามหน่อยนะคะ ${asked} ขอบคุณมากค่ะ`],
  ['with another question of politeness', (asked) => `Hi! How are you today? Could you please help me? ${asked}`],
];

const KNOWN = ['Can I pay by bank transfer?', 'How much is postage to Wales?', 'Which lamp is the tallest?'];
const STRANGE = ['Who won the football world cup in 1974?', 'What is the capital of Mongolia?'];

describe.each(WRAPPINGS)('a question that is %s', (_, wrap) => {
  it.each(KNOWN)('has the answer of the question alone: %s', async (question) => {
    const plain = await SHOP.answer(question);
    expect(plain.text).toMatch(/\[1\]/);
    expect((await SHOP.answer(wrap(question))).text).toBe(plain.text);
  });

  it.each(STRANGE)('is refused where the question alone is: %s', async (question) => {
    expect((await SHOP.answer(question)).text).toContain('don’t know');
    // In the language of the wrapping, and without a quotation.
    expect((await SHOP.answer(wrap(question))).citations).toEqual({});
  });
});

describe('a message', () => {
  it.each([
    [
      'Guten Tag, ich hoffe, es geht Ihnen gut. Kann ich per Banküberweisung bezahlen? Vielen Dank im Voraus!',
      'Banküberweisung',
    ],
    [
      'Bonjour, j’espère que vous allez bien. Puis-je payer par virement bancaire ? Merci beaucoup d’avance !',
      'virement',
    ],
    ['您好，希望您一切顺利。可以通过银行转账付款吗？非常感谢！祝好', '银行转账'],
    [
      'Sehr geehrte Damen und Herren,\n\nkann ich per Banküberweisung bezahlen\n\nMit freundlichen Grüßen\nMaria Huber',
      'Banküberweisung',
    ],
  ])('is answered in its language: %s', async (message, word) => {
    expect((await SHOP.answer(message)).text).toMatch(new RegExp(`${word}.*\\[1\\]`, 's'));
  });

  it('that asks without a mark is told by how it begins, or by what the pages speak of', async () => {
    for (const asking of [
      'can I pay by bank transfer',
      'I would like to know whether I can pay by bank transfer',
      'bank transfer',
    ]) {
      const { text } = await SHOP.answer(`Good evening!\n${asking}\nHave a lovely weekend`);
      expect(text).toContain('You can pay by bank transfer');
    }
  });

  it.each([
    'Guten Tag, ich hätte da mal eine kurze Frage, ich hoffe, ich bin hier richtig: Wales postage Vielen Dank im Voraus!',
    'Dear all,\n\nI did not find it on your website.\n\nWales postage\n\nI look forward to your answer.\n\nKind regards,\nWren Lampard\n12 Order Street',
    'Good morning,\n\nI did not find it on your website.\n\nMy question:\nWales postage',
    'Wales postage Asking for my mother, who has no computer and cannot look it up.',
    'Hello everybody, Wales postage Ich frage, weil meine Mutter dort wohnt und nichts gefunden hat.',
  ])('of two words is told from what stands around it: %s', (message) => {
    expect(SHOP.search(message).query.question).toBe('Wales postage');
  });

  it('is ranked by its story too', async () => {
    expect((await SHOP.answer('I bought the Heron for my garden. Is it waterproof?')).text).toMatch(
      /^The Heron|waterproof and may/,
    );
    expect((await SHOP.answer('I bought the Wren for my garden. Is it waterproof?')).text).toContain('not waterproof');
  });

  it('keeps what its writer states where the question says little without it', () => {
    const asked = (message: string): string => SHOP.search(message).query.question;
    expect(asked('Hi, my mother is in a wheelchair, can she come in?')).toBe(
      'my mother is in a wheelchair, can she come in?',
    );
    expect(asked('I am ninety and can’t walk, do you deliver?')).toBe('I am ninety and can’t walk, do you deliver?');
    expect(asked('Hi, I hope you are well, can she come in?')).toBe('can she come in?');
  });

  it('with two questions is asked for both', async () => {
    const { text } = await SHOP.answer('Hello! Can I pay by bank transfer? And how much is postage to Wales? Thanks');
    expect(text).toContain('bank transfer');
    expect(text).toContain('£4');
  });
});
