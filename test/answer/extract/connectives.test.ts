import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'kiln.html': `<title>Kiln</title><p>A glaze runs when it is fired too hot. Therefore the shelf is washed with alumina. So, for
    example, a spilled celadon lifts off with a scraper. Thick pots need a slow morning.</p><p>In contrast, raku pots leave the kiln while they glow.</p>`,
  'oven.html': `<title>Oven</title><p>However, the upper oven takes eleven loaves at once. As a result of the draught its door
    stays shut for a quarter of an hour.</p>`,
  'boot.html': `<title>Boot</title><p>Note that so far nobody has borrowed the rubber dinghy twice.</p>`,
  'de.html': `<title>Webstuhl</title><p>Die Kette wird über den Baum gespannt. Deshalb darf der Webstuhl nicht verschoben werden, solange
    ein Stück darauf ist.</p><p>Im Gegensatz dazu steht der Spulenständer auf Rollen.</p>`,
  'fr.html': `<title>Ruches</title><p>Les abeilles sortent dès dix degrés. Par conséquent, la récolte du miel commence en juin.
    Toutefois, les cadres restent fermés pendant la pluie.</p>`,
  'es.html': `<title>Telescopio</title><p>El espejo se limpia dos veces al año. Por lo tanto, el telescopio grande cierra en marzo y en
    octubre.</p>`,
  'nl.html': `<title>Molen</title><p>De wieken draaien alleen bij wind. Daarom maalt de molen in augustus zelden tarwe.</p>`,
  'it.html': `<title>Frantoio</title><p>Le olive arrivano in novembre. Ad esempio, il frantoio macina di notte fino a Natale.</p>`,
  'pt.html': `<title>Farol</title><p>A lâmpada foi trocada no inverno. No entanto, o farol continua sem visitas aos domingos.</p>`,
});

it.each([
  ['Is the shelf washed with alumina?', /^A glaze runs [^]*Therefore the shelf is washed/],
  ['How does spilled celadon lift off?', /^A glaze runs [^]*Therefore [^]*So, for example, a spilled celadon/],
  ['Do raku pots leave the kiln while they glow?', /^Thick pots need a slow morning\. In contrast, raku pots/],
  ['How many loaves does the upper oven take at once?', /^The upper oven takes eleven loaves/],
  ['Has anybody borrowed the rubber dinghy twice?', /^So far nobody has borrowed/],
  ['Darf der Webstuhl verschoben werden?', /^Die Kette [^]*Deshalb darf der Webstuhl/],
  ['Steht der Spulenständer auf Rollen?', /^Die Kette [^]*Im Gegensatz dazu steht der Spulenständer/],
  ['Quand commence la récolte du miel ?', /^Les abeilles [^]*Par conséquent, la récolte/],
  ['Les cadres restent fermés pendant la pluie ?', /^Les abeilles [^]*Toutefois, les cadres/],
  ['¿En qué meses cierra el telescopio grande?', /^El espejo [^]*Por lo tanto, el telescopio grande/],
  ['Maalt de molen in augustus tarwe?', /^De wieken [^]*Daarom maalt de molen/],
  ['Il frantoio macina di notte?', /^Le olive [^]*Ad esempio, il frantoio/],
  ['O farol tem visitas aos domingos?', /^A lâmpada [^]*No entanto, o farol/],
])('a quote does not begin with what links it to the sentence before: %s', async (question, answer) => {
  const { text } = await SITE.answer(question);
  expect(text.replace(/^[^\n]*:\n\n/, '')).toMatch(answer);
});

it('takes no other beginning for such a link', async () => {
  const site = await siteOf({
    'gates.html': `<title>Gates</title><p>Every gate has a keeper. So that horses stay calm, the north gate is closed at noon. Also
      known as the postern, the south gate is 1.4 metres wide.</p>`,
  });
  expect((await site.answer('Why is the north gate closed at noon?')).text).toMatch(/^So that horses stay calm/);
  expect((await site.answer('How wide is the south gate?')).text).toMatch(/^Also known as the postern/);
});
