import { describe, expect, it } from 'vitest';
import { siteOf, type Site } from '../site.ts';

const page = (title: string, text: string): string => `<title>${title}</title><h1>${title}</h1><p>${text}</p>`;

const isUnsure = async (site: Site, question: string): Promise<boolean> =>
  /not sure|nicht sicher|pas sûr|No estoy segur/.test((await site.answer(question)).text);

describe('a question that picks from a set by its prices', async () => {
  const shop = await siteOf(
    {
      'tarn-1.html': page('Tarn 1 tent', 'A tent for one. The Tarn 1 tent costs £189.'),
      'tarn-2.html': page('Tarn 2 tent', 'A tent for two. The Tarn 2 tent costs £279.'),
      'fell.html': page('Fell tent', 'Our most expensive boots are the Crag. The Fell tent for four costs £420.'),
      'gas.html': page('Gas', 'Gas for tents and stoves: a cartridge of 250 g costs £6.'),
      'delivery.html': page(
        'Delivery',
        'Delivery costs £5. It is free for orders over £80. Orders of £500 or more come by van.',
      ),
      'maps.html': page('Maps', 'Our cheapest map is the Kendal map, at £4.'),
    },
    { 'how much is the tarn 2': 'The Tarn 2 tent costs £279.', 'which is your cheapest stove': 'The Ember, at £24.' },
  );

  it.each([
    'most expensive tent',
    'highest price tent',
    'which tent is the most expensive?',
    'the most expensive map',
    'tents under £250',
  ])('is not answered surely by one price of them: %s', async (question) => {
    expect(await isUnsure(shop, question)).toBe(true);
  });

  it.each([
    ['What is your cheapest map?', 'Our cheapest map is the Kendal map, at £4.'],
    ['cheapest stove', 'The Ember, at £24.'],
    ['Is delivery free for orders over £100?', 'It is free for orders over £80.'],
    ['How do orders over £500 come?', 'Orders of £500 or more come by van.'],
    ['does the Fell tent cost more than £250?', 'The Fell tent for four costs £420.'],
    ['How much is the Tarn 1 tent?', 'The Tarn 1 tent costs £189.'],
  ])('is answered surely by what says it: %s', async (question, answer) => {
    expect((await shop.answer(question)).text).toContain(answer);
    expect(await isUnsure(shop, question)).toBe(false);
  });

  it('is told in other languages, a comparison apart', async () => {
    const de = await siteOf({
      'fell.html': page('Zelt Fell', 'Unser teuerster Stiefel ist der Crag. Das Zelt Fell für vier kostet 420 Euro.'),
      'gas.html': page('Gas', 'Gas für Zelte und Kocher: eine Kartusche mit 250 g kostet 6 Euro.'),
    });
    expect(await isUnsure(de, 'das teuerste Zelt')).toBe(true);
    expect(await isUnsure(de, 'Zelte unter 250 Euro')).toBe(true);
    expect(await isUnsure(de, 'Kostet das Zelt Fell mehr als 400 Euro?')).toBe(false);
    const fr = await siteOf({
      'fell.html': page('Tente Fell', 'Notre botte la plus chère est la Crag. La tente Fell coûte 420 euros.'),
      'nuit.html': page('Location', 'Le week-end, la location est plus chère : 40 euros la nuit.'),
    });
    expect(await isUnsure(fr, 'la tente la plus chère')).toBe(true);
    expect(await isUnsure(fr, 'La location est-elle plus chère le week-end ?')).toBe(false);
    const es = await siteOf({
      'hotel.html': page('Hotel', 'En agosto el hotel es más caro: 90 euros. En mayo cuesta 60 euros.'),
      'barca.html': page('Barcas', 'Nuestra barca más cara es la Lucio: 900 euros.'),
    });
    for (const question of ['¿Es el hotel más caro en agosto?', '¿El hotel es más barato o más caro en agosto?'])
      expect(await isUnsure(es, question), question).toBe(false);
    expect(await isUnsure(es, 'el hotel más caro de la zona')).toBe(true);
    const ro = await siteOf({
      'gheata.html': page('Ghete', 'Cea mai scumpă gheată este Crag. O gheată costă 420 euro.'),
      'harta.html': page('Hărți', 'O hartă a munților costă 4 euro.'),
    });
    expect((await ro.answer('cea mai scumpă hartă')).text).not.toMatch(/^Cea mai scumpă gheată/);
  });
});
