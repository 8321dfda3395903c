import { describe, expect, it } from 'vitest';
import { siteOf, type Site } from '../site.ts';

/** An answer that the owner wrote, as it is told surely: alone, and with no sentence that says it may not answer. */
const surely = (answer: string): string => `${answer} [1]`;

const told = async (site: Site, question: string): Promise<string> => (await site.answer(question)).text;

const page = (title: string, ...paragraphs: string[]): string =>
  `<title>${title}</title><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`;

describe('an answer that the owner of a shop wrote', async () => {
  const qa = {
    'how much is the tarn 2': 'The Tarn 2 tent costs £279.',
    'are you hiring': 'Yes. We look for a boot fitter in Kendal; see Jobs.',
    'do you price match': 'No, we do not match prices of other shops.',
  };
  const [price, job, match] = [qa['how much is the tarn 2'], qa['are you hiring'], qa['do you price match']];
  const site = await siteOf(
    {
      'jobs.html': page(
        'Jobs',
        'We look for a boot fitter for Kendal, 30 hours a week, £13.40 an hour. Apply to jobs@shop.example by 15 January.',
        'We train one apprentice a year.',
      ),
      'tarn-2.html': page(
        'Tarn 2 tent',
        'A two-person tunnel tent for three seasons. The flysheet has a hydrostatic head of 3,000 mm. Pitching takes about eight minutes.',
      ),
      'payment.html': `${page('Payment', 'You can pay by Visa, Mastercard and bank transfer.')}<h2>VAT</h2><p>Prices include 20 % VAT.</p>`,
      'gas.html': page('Gas', 'We sell gas cartridges in the shop. The jacket is waterproof.'),
    },
    qa,
  );

  it.each([
    ['do you match prices?', match],
    ['will you price match a competitor?', match],
    ['price matching', match],
    ['how much does the tarn 2 cost', price],
    ['what is the price of the tarn 2', price],
    ['do you have any jobs', job],
  ])('is sure for the same question in other words: %s', async (question, answer) => {
    expect(await told(site, question)).toBe(surely(answer));
  });

  it.each([
    ['tarn 2 waterproof?', price],
    ['what colour is the tarn 2', price],
    ['how heavy is the tarn 2', price],
    ['do you sell matches', match],
    ['what does the boot fitter job pay', job],
  ])('is not sure for another question: %s', async (question, answer) => {
    expect(await told(site, question)).not.toBe(surely(answer));
  });

  it('comes behind the page that has more of the question', async () => {
    expect(await told(site, 'what does the boot fitter job pay')).toMatch(/^We look for a boot fitter for Kendal, 30/);
  });
});

describe('an answer that mentions what other questions are about', async () => {
  const shoes = 'Yes, from Ridge and Scree, in the Keswick shop only.';
  const site = await siteOf(
    {
      'contact.html': page(
        'Contact us',
        'E-mail: hello@shop.example. We answer within one working day.',
        'Kendal shop: 14 Stramongate. Keswick shop: 3 Lake Road.',
      ),
      ...Object.fromEntries(
        ['Socks', 'Jackets', 'Maps', 'Lamps', 'Bottles'].map((title) => [title, page(title, `${title} for running.`)]),
      ),
    },
    {
      'Do you sell climbing shoes?': shoes,
      'Do you price match?': 'Yes, we do. Show us the offer in the shop, or by e-mail to hello@shop.example.',
    },
  );

  it.each([
    ['What is your e-mail address?', /^E-mail: hello@shop\.example/],
    ['Where is the Keswick shop?', /^Kendal shop: 14 Stramongate\. Keswick shop: 3 Lake Road/],
  ])('comes behind the page that tells it: %s', async (question, answer) => {
    expect(await told(site, question)).toMatch(answer);
  });

  it('is not sure where each question has a word that the other lacks', async () => {
    expect(await told(site, 'Do you sell running shoes?')).not.toBe(surely(shoes));
    expect(await told(site, 'climbing shoes?')).toBe(surely(shoes));
  });

  it('is told under its own question where it is not sure', async () => {
    expect(await told(site, 'Do you sell running shoes?')).toContain(`\n\nDo you sell climbing shoes? ${shoes} [1]`);
  });
});

describe('an answer that the owner of a library wrote', async () => {
  const qa = {
    'Can I bring my dog into the library?': 'Only guide dogs may come in. Others wait at the hooks by the entrance.',
    'Can I eat in the study room?': 'No food in the study room, but water in bottles that close.',
    'Do you lend laptops?': 'Yes, ten laptops may be borrowed for the day inside the library, with your card.',
  };
  const [dog, food, laptop] = Object.values(qa) as [string, string, string];
  const site = await siteOf(
    {
      'hours.html': page('Opening hours', 'The library is open Monday to Friday from 9 am to 7 pm.'),
      'rooms.html': page(
        'Rooms',
        'The study room on the second floor has 40 seats and sockets. Group rooms may be booked for two hours.',
      ),
      'children.html': page(
        'Children',
        'Story time is every Wednesday at 3 pm. Parents may bring snacks to the family room.',
      ),
      'print.html': page('Printing', 'A black and white print costs 10 cents a page, a colour print 50 cents.'),
    },
    qa,
  );

  it.each([
    ['can my dog come in with me', dog],
    ['is eating allowed in the study room', food],
    ['can I have food in the study room', food],
    ['can i borrow a laptop', laptop],
  ])('is sure for the same question in other words: %s', async (question, answer) => {
    expect(await told(site, question)).toBe(surely(answer));
  });

  it.each([
    ['where is the study room', food],
    ['can I eat in the family room', food],
    ['do you lend laptops to children', laptop],
  ])('is not sure for another question: %s', async (question, answer) => {
    expect(await told(site, question)).not.toBe(surely(answer));
  });
});

describe('an answer that was written in German', async () => {
  const qa = {
    'Wo kann ich parken?': 'Im Hof hinter dem Haus sind acht Parkplätze für Patienten.',
    'Zahlt die Kasse die Zahnreinigung?': 'Viele Kassen zahlen einen Teil. Fragen Sie Ihre Kasse nach dem Bonusheft.',
    'Behandeln Sie unter Vollnarkose?': 'Ja, freitags mit einem Anästhesisten, nach einem Vorgespräch.',
  };
  const [parking, cleaning, narcosis] = Object.values(qa) as [string, string, string];
  const site = await siteOf(
    {
      'leistungen.html': page(
        'Leistungen',
        'Eine Krone hält viele Jahre. Eine Zahnreinigung kostet 95 Euro und dauert eine Stunde.',
      ),
      'kinder.html': page('Kinder', 'Kinder behandeln wir ab drei Jahren. Das Wartezimmer hat eine Spielecke.'),
      'kosten.html': page('Kosten', 'Rechnungen schickt unser Abrechnungsbüro. Ratenzahlung ist ab 300 Euro möglich.'),
    },
    qa,
  );

  it.each([
    ['Gibt es Parkplätze?', parking],
    ['Übernimmt die Kasse die Zahnreinigung?', cleaning],
    ['Machen Sie Vollnarkose?', narcosis],
  ])('is sure for the same question in other words: %s', async (question, answer) => {
    expect(await told(site, question)).toBe(surely(answer));
  });

  it.each([
    ['Gibt es Parkplätze für Kinder?', parking],
    ['Zahlt die Kasse eine Krone?', cleaning],
    ['Kann ich die Zahnreinigung in Raten zahlen?', cleaning],
  ])('is not sure for another question: %s', async (question, answer) => {
    expect(await told(site, question)).not.toBe(surely(answer));
  });
});

describe('an answer in a language whose common words are not known', async () => {
  const pages = {
    'cours.html': page('Cours', 'Nous proposons yoga, pilates et boxe. Les étudiants paient 22 euros.'),
    'salle.html': page('Équipement', 'La salle a un sauna, 20 tapis de course et des casiers.'),
    'zapato.html': page('Zapato Roble', 'El zapato Roble es de piel y tiene suela de goma. La tienda está en Sevilla.'),
    'camping.html': page('帐篷', '山猫帐篷适合两个人，防水等级为三千毫米。春节休息。'),
  };
  const qa = {
    'Les débutants sont-ils acceptés au yoga ?': 'Oui, le cours de yoga est ouvert à tous les niveaux.',
    'Y a-t-il des douches ?': 'Oui, dans chaque vestiaire.',
    '¿Puedo devolver unos zapatos?': 'Sí, en 30 días, sin usar y en su caja.',
    '可以退货吗？': '三十天内可以退货，商品必须没有使用过。',
  };
  const [yoga, shower, back, refund] = Object.values(qa) as [string, string, string, string];
  const site = await siteOf(pages, qa);

  it.each([
    ['Le yoga est-il ouvert aux débutants ?', yoga],
    ['Avez-vous des douches ?', shower],
    ['quiero devolver mis zapatos', back],
    ['能退货吗', refund],
  ])('is sure for the same question in other words: %s', async (question, answer) => {
    expect(await told(site, question)).toBe(surely(answer));
  });

  it.each([
    ['Les débutants sont-ils acceptés à la boxe ?', yoga],
    ['Y a-t-il des douches dans le sauna ?', shower],
    ['¿Puedo devolver unas suelas?', back],
    ['春节可以退货吗？', refund],
  ])('is not sure for another question: %s', async (question, answer) => {
    expect(await told(site, question)).not.toBe(surely(answer));
  });
});
