import { describe, expect, it } from 'vitest';
import { PassageIndex } from '../../server/knowledge/search/index.ts';
import { stemsFor } from '../../server/knowledge/text/stems.ts';

type Pages = Record<string, { title?: string; headings?: string[]; text: string }>;

function indexOf(pages: Pages): PassageIndex<string> {
  const index = new PassageIndex<string>();
  for (const [name, page] of Object.entries(pages)) put(index, name, page);
  return index;
}

function put(index: PassageIndex<string>, name: string, { title = '', headings = [], text }: Pages[string]): void {
  index.put(name, name, { title, text, passages: [{ headings, start: 0, end: text.length }] });
}

const search = (index: PassageIndex<string>, query: string) =>
  index.search(index.query(query), 10).map((hit) => hit.entry.source);

describe('the index', () => {
  it('finds other forms of a word, in any case and with or without accents', () => {
    const index = indexOf({
      a: { text: 'Returned parcels are unpacked in the Café.' },
      b: { text: 'Something else entirely.' },
    });
    for (const query of ['return parcel', 'RETURNING PARCELS', 'cafe', 'CAFÉ', 'cafés']) {
      expect(search(index, query), query).toEqual(['a']);
    }
  });

  it('finds what one slip has spoiled, however its words came: few or many, and questions in between', () => {
    const index = new PassageIndex<string>();
    const words = Array.from({ length: 9000 }, (_, i) => `w${(i * 7919 + 10_000).toString(36)}q`);
    const lengths = [1, 1, 4000, 30, 2, 2, 2, 900, 5, 1, 3000, 1];
    for (const [at, length] of lengths.entries()) {
      const own = words.splice(0, length);
      put(index, `${at}`, { text: own.join(' ') });
      // Prepared for the next questions, but not to the end.
      if (at % 3 === 0) index.prepareInSteps().next();
      for (const word of [own[0]!, own.at(-1)!]) expect(search(index, `${word}x`), word).toContain(`${at}`);
    }
    for (const _ of index.prepareInSteps());
    expect(index.prepareInSteps().next().done).toBe(true);
  });

  it('weighs the title and headings more, and words near each other', () => {
    const index = indexOf({
      body: { text: 'Warranty questions are rare here, and so are others about the bags.' },
      head: { title: 'Warranty', text: 'Ten years for cloth and seams.' },
      far: { text: 'A red door stands between this long corridor full of pictures of one old yellow house.' },
      near: { text: 'This long corridor full of pictures has one red house between an old yellow door.' },
    });
    expect(search(index, 'warranty')).toEqual(['head', 'body']);
    expect(search(index, 'red house')[0]).toBe('near');
  });

  it('finds the noun that a verb and its particle become, and the limit that “how many can” asks for', () => {
    const index = indexOf({
      rooms: { text: 'Rooms while everybody keeps working are many. Back to the application, which has rooms.' },
      backup: { text: 'The backup copies all of it while readers go on.' },
      most: { text: 'The maximum number of guests is twelve.' },
      guests: { text: 'Of its guests each room has a list.' },
    });
    expect(search(index, 'How do I back up everything?')[0]).toBe('backup');
    expect(search(index, 'How many guests can one room have?')[0]).toBe('most');
  });

  it('finds once what several pages say to the letter, and each page where only a line is the same', () => {
    const text = `The crane lifts two tons. ${'It stands on the quay and turns with the wind. '.repeat(5)}`;
    const line = 'The ferry costs nine pounds.';
    const index = indexOf({
      a: { headings: ['Cranes'], text },
      b: { headings: ['Harbour', 'Cranes'], text },
      c: { headings: ['Old cranes'], text },
      d: { text: 'Another crane altogether.' },
      e: { title: 'Cork', text: line },
      f: { title: 'Dover', text: line },
    });
    expect(search(index, 'What does the crane lift?').sort()).toEqual(['a', 'c', 'd']);
    expect(search(index, 'What does the ferry cost?').sort()).toEqual(['e', 'f']);
  });

  it('finds code by its parts and as a whole', () => {
    const index = indexOf({
      a: { text: 'Call setTimeoutLimit or max_page_size first.' },
      b: { text: 'An HTTPServer it is.' },
    });
    expect(search(index, 'timeout limit')).toEqual(['a']);
    expect(search(index, 'settimeoutlimit')).toEqual(['a']);
    expect(search(index, 'page size')).toEqual(['a']);
    expect(search(index, 'server')).toEqual(['b']);
  });

  it('finds in scripts that put no space between words', () => {
    const index = indexOf({
      zh: { text: '退货期限为收到商品后的三十天。' },
      ja: { text: '営業時間は午前九時からです。' },
      th: { text: 'คุณสามารถคืนสินค้าได้ภายในสามสิบวัน' },
      ko: { text: '반품은 30일 이내에 가능합니다.' },
      ru: { text: 'Вернуть товар можно за тридцать дней.' },
      ar: { text: 'يمكنك إرجاع المنتج خلال ثلاثين يوما' },
    });
    expect(search(index, '退货期限是多久？')[0]).toBe('zh');
    expect(search(index, '営業時間は？')[0]).toBe('ja');
    expect(search(index, 'คืนสินค้าภายในกี่วัน')[0]).toBe('th');
    expect(search(index, '반품은 언제까지')[0]).toBe('ko');
    expect(search(index, 'товар')[0]).toBe('ru');
    expect(search(index, 'إرجاع المنتج')[0]).toBe('ar');
  });

  it.each([
    ['German', 'Die Rückgabe der Häuser ist in einem Monat möglich.', 'Wie gibt man das Haus zurück?'],
    ['Spanish', 'Las devoluciones se aceptan durante treinta días.', '¿Cuál es el plazo de devolución?'],
    ['Russian', 'Возврат товаров возможен в течение месяца.', 'Как вернуть товар?'],
    ['Greek', 'Οι επιστροφές γίνονται δεκτές μέσα σε έναν μήνα.', 'Πώς γίνεται μια επιστροφή;'],
    ['Turkish', 'Kitapların iadesi bir ay içinde yapılır.', 'Kitap nasıl iade edilir?'],
    ['Romanian', 'Orașele mari au tramvaie și metrouri.', 'Ce oras are tramvai?'],
    ['Arabic', 'يمكن إرجاع الكتب إلى المدرسة خلال شهر.', 'كيف أعيد كتب مدرسة؟'],
    ['Hindi', 'पुस्तकें एक महीने में लौटाई जा सकती हैं।', 'पुस्तक कब लौटाएँ?'],
    ['Vietnamese', 'Sách được trả lại trong một tháng.', 'Khi nào phải trả sách?'],
    ['Korean', '책을 한 달 안에 반품할 수 있습니다.', '책은 언제 반품하나요?'],
  ])('finds other forms of a word in %s, and not by the words of asking', async (_, text, question) => {
    await stemsFor(text);
    const index = indexOf({ page: { text }, other: { text: 'The ferry leaves the island at noon.' } });
    expect(search(index, question)).toEqual(['page']);
    expect(index.search(index.query(question), 1)[0]!.score).toBeGreaterThan(0);
    const asked = index.query(question).terms.filter(({ root }) => root >= 0);
    expect(asked.length).toBeGreaterThan(0);
  });

  it.each([
    ['Vietnamese', 'Thời tiết ở Đà Nẵng nóng vào mùa hè.', 'thoi tiet o da nang the nao'],
    ['Romanian', 'Educației i se dau bani puțini în oraș.', 'Cati bani are educatiei?'],
    ['Turkish', 'Şehirleri gezmek için İstanbul’un vapurları vardır.', 'sehirleri nasil gezmek'],
    ['Greek', 'Οι επιστροφές γίνονται μέσα σε έναν μήνα.', 'ποσο διαρκει μια επιστροφη'],
    ['German', 'Die Rückgabe der Bücher ist möglich.', 'Rückgaberecht fur Bucher'],
  ])('finds what was typed without accents, or a part of, in %s', async (_, text, question) => {
    await stemsFor(text);
    const index = indexOf({ page: { text }, other: { text: 'The ferry leaves the island at noon.' } });
    expect(search(index, question)).toEqual(['page']);
  });

  it('takes both ways of writing a letter for the same, and signs that only guide the print for none', async () => {
    const pages = {
      ro: { text: 'Naţiunile şi-au trimis soliile la Iaşi.' },
      tr: { text: 'İstanbul’un vapurları ve çarşıları vardır, İzmir’in de.' },
      de: { text: 'Die Rück\u00adgabe der Bücher ist in der Bücherei möglich.' },
      hi: { text: 'विश्व\u200dविद्यालय एक नगर में है।' },
    };
    for (const { text } of Object.values(pages)) await stemsFor(text);
    const index = indexOf(pages);
    expect(search(index, 'Ce națiune are solii la Iași?')[0]).toBe('ro');
    expect(search(index, 'istanbul vapur')[0]).toBe('tr');
    expect(search(index, 'Rückgabe')).toEqual(['de']);
    expect(search(index, 'विश्वविद्यालय कहाँ है?')).toEqual(['hi']);
  });

  it('finds in a site of two languages the pages of either, and names in both', async () => {
    const german = 'Die Fähre nach Zembla fährt am Mittag, und die Häuser sind gelb.';
    await stemsFor(german);
    const index = indexOf({
      de: { text: german },
      en: { text: 'The ferry to Zembla leaves at noon from the houses.' },
    });
    expect(search(index, 'Wann fährt die Fähre am Haus?')[0]).toBe('de');
    expect(search(index, 'When does the ferry leave the house?')[0]).toBe('en');
    expect(search(index, 'Zembla').sort()).toEqual(['de', 'en']);
  });

  it('finds what a mistyped word was meant for, among words that came later too', () => {
    const index = indexOf({
      a: { text: 'Returned umbrellas are repaired.' },
      b: { text: 'The ferry leaves at noon.' },
    });
    for (const query of ['umbrela', 'umbrellla', 'umbrlelas', 'unbrella', 'Where is my umberlla?']) {
      expect(search(index, query), query).toEqual(['a']);
    }
    put(index, 'c', { text: 'Bicycles travel free.' });
    expect(search(index, 'bycicle')).toEqual([]);
    expect(search(index, 'biccyle')).toEqual(['c']);
    expect(search(index, 'Whree does the ferry go?')).toEqual(['b']);
    expect(index.query('Whree does the ferry go?').terms.map(({ word }) => word)).not.toContain('whree');
  });

  it('thinks of the usual word too where the one that was typed has but another form somewhere', () => {
    const pages: Pages = { tan: { text: 'A tan is had in summer, on the island.' } };
    for (let n = 0; n < 9; n++) pages[`trans ${n}`] = { text: `Margarine ${n} has trans fats, and butter too.` };
    const index = indexOf(pages);
    expect(search(index, 'What is in tans?')).toContain('trans 0');
    expect(search(index, 'What is in tans?')[0]).toBe('tan');
    expect(search(index, 'What is a tan?')).toEqual(['tan']);
  });

  it('takes the first letter of a mistyped word for right', () => {
    const index = indexOf({ a: { text: 'Glasses are washed by hand.' }, b: { text: 'Molasses is sweet.' } });
    expect(search(index, 'mlasses')).toEqual(['b']);
    expect(search(index, 'flasses')).toEqual(['a']);
  });

  it('takes a word as it is typed where a page has it', () => {
    const index = indexOf({ a: { text: 'Casts are made of plaster.' }, b: { text: 'Costs are paid by card.' } });
    expect(search(index, 'casts')).toEqual(['a']);
    expect(search(index, 'costs')).toEqual(['b']);
  });

  it('puts first where one sentence tells what is asked, with the kind of thing asked for', () => {
    const index = indexOf({
      strewn: { text: 'The museum has a tower. Visitors like the garden. A bridge was built once in the north.' },
      undated: { text: 'The garden is older. The tower of the museum was built by a mayor whom everybody knew.' },
      dated: { text: 'The garden is older. The tower of the museum was built in 1907, though nobody came.' },
    });
    expect(search(index, 'When was the tower of the museum built?')).toEqual(['dated', 'undated', 'strewn']);
  });

  it('takes a word of the same family for the next best thing', () => {
    const index = indexOf({
      other: { text: 'The harbour of the island has a chief who is chosen by the oldest fishers.' },
      family: { text: 'The harbour of the island has a tribal chief, chosen by the oldest fishers.' },
      same: { text: 'The harbour of the island has a chief of the tribe, chosen by the oldest.' },
    });
    expect(search(index, 'Which tribe has a chief at the harbour?')).toEqual(['same', 'family', 'other']);
  });

  it('finds what a page calls by another word', () => {
    const index = indexOf({ a: { text: 'Postage to Europe is £14.' }, b: { text: 'Gloves are sold in pairs.' } });
    expect(search(index, 'How much is delivery?')).toEqual(['a']);
    expect(search(index, 'shipping')).toEqual(['a']);
  });

  it('is the same after sources came and went as if they had never been', () => {
    const texts = Array.from({ length: 300 }, (_, n) => ({
      text: `Lamp number ${n} hangs in room ${n % 7} of the old house.`,
    }));
    const index = new PassageIndex<string>();
    for (const [n, page] of texts.entries()) put(index, String(n), page);
    for (let n = 0; n < 300; n++) if (n % 3 !== 0) index.remove(String(n));
    put(index, '3', texts[3]!);
    const fresh = new PassageIndex<string>();
    for (let n = 0; n < 300; n += 3) if (n !== 3) put(fresh, String(n), texts[n]!);
    put(fresh, '3', texts[3]!);
    expect(index.size).toBe(100);
    for (const query of ['lamp 3', 'room 4', 'old house', 'lamp 298']) {
      const scored = (one: PassageIndex<string>) =>
        one
          .search(one.query(query), 20)
          .map(({ entry, score }) => `${entry.source} ${score.toFixed(9)}`)
          .sort();
      expect(scored(index), query).toEqual(scored(fresh));
    }
  });

  it('stops putting in a source that is removed meanwhile', () => {
    const index = new PassageIndex<string>();
    const text = 'One more line about boats. '.repeat(300);
    const passages = Array.from({ length: 300 }, (_, n) => ({ headings: [], start: n * 27, end: n * 27 + 26 }));
    const putting = index.putInSteps('a', 'a', { title: '', text, passages });
    putting.next();
    expect(index.size).toBe(64);
    index.remove('a');
    expect(putting.next().done).toBe(true);
    expect(index.size).toBe(0);
    expect(search(index, 'boats')).toEqual([]);
  });

  it('finds for keywords on a large site what their pages are about', () => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 250; n++) put(index, `other ${n}`, { text: `Chapter ${n} tells of ships, ports and sailors.` });
    for (let n = 0; n < 6; n++)
      put(index, `heart ${n}`, { text: `Cardiology ward ${n}: the heart, its arteries and valves.` });
    put(index, 'kin', { text: 'Narrow arteries and leaking valves are treated in a ward.' });
    expect(search(index, 'cardiology')).toContain('kin');
    expect(search(index, 'What is cardiology?')).not.toContain('kin');
  });

  it('ranks on a large site by common words what rarer ones found, and finds by common ones alone', () => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 5000; n++) {
      put(index, String(n), {
        text: `${n % 2 ? 'Carts' : 'Boats'} of type ${n} ${n % 3 ? 'rest' : 'reach the harbour'}.`,
      });
    }
    put(index, 'last', { text: 'A boat, a boat, a boat, a boat, a boat.' });
    const both = (first: number) => Array.from({ length: 10 }, (_, n) => String(first + n * 6));
    expect(search(index, 'Which boats are in a harbour?')).toEqual(both(0));
    index.remove('0');
    expect(search(index, 'Which boats are in a harbour?')).toEqual(both(6));
    expect(search(index, 'Is there a boat?')[0]).toBe('last');
    expect(search(index, 'boats of type 4320')[0]).toBe('4320');
  });

  it.each([1, 5, 400, 1900])('finds in %d sources alone the best that it would find in all', (few) => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 2000; n++) {
      const text = `${n % 2 ? 'Carts' : 'Boats'} of type ${n} and ${n % 5 ? 'others' : 'boats, boats and carts'} rest here.`;
      put(index, String(n), { title: n % 7 ? '' : 'Boats', text });
    }
    const sources = new Set(['not there', ...Array.from({ length: few }, (_, n) => String((n * 101 + 7) % 2000))]);
    index.remove('7');
    for (const query of ['Where do boats rest?', 'Is a cart of type 310 here?', 'Which others are there?']) {
      const asked = index.query(query);
      const slow = index.search(asked, 2000).filter(({ entry }) => sources.has(entry.source));
      const within = index.search(asked, 10, { sources });
      expect(new Set(within.map(({ entry }) => sources.has(entry.source))), query).not.toContain(false);
      expect(within.length).toBe(Math.min(10, slow.length));
      expect(within.map(({ score }) => score.toFixed(6))).toEqual(
        slow.slice(0, 10).map(({ score }) => score.toFixed(6)),
      );
    }
    expect(index.search(index.query('boats'), 10, { sources: new Set() })).toEqual([]);
  });

  it('finds by common words in few sources of a large site', () => {
    const index = new PassageIndex<string>();
    for (let n = 0; n < 5000; n++) put(index, String(n), { text: `Boats of type ${n} rest in the harbour.` });
    const found = (query: string, few: string[]) =>
      index.search(index.query(query), 10, { sources: new Set(few) }).map(({ entry }) => entry.source);
    expect(found('Which boats rest in the harbour?', ['4999', '3000'])).toEqual(['3000', '4999']);
    expect(found('Is type 12 a boat?', ['4999'])).toEqual(['4999']);
    expect(found('Which type is 77?', ['77', '12'])).toEqual(['77', '12']);
    expect(found('Are there lamps?', ['77', '12'])).toEqual([]);
  });

  it('takes any question, however long or odd', () => {
    const index = indexOf({ a: { text: 'The ferry leaves at noon.' } });
    expect(search(index, `${'ferry noon '.repeat(4000)}`)).toEqual(['a']);
    expect(search(index, 'word'.repeat(20_000))).toEqual([]);
    expect(search(index, 'constructor __proto__ toString hasOwnProperty')).toEqual([]);
    expect(search(index, '\ud800\udfff\u0000 ferry')).toEqual(['a']);
  });
});
