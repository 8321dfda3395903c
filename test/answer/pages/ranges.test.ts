import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const table = (head: string, rows: string[]): string =>
  `<table><tr>${head
    .split('|')
    .map((cell) => `<th>${cell}</th>`)
    .join('')}</tr>${rows
    .map(
      (row) =>
        `<tr>${row
          .split('|')
          .map((cell) => `<td>${cell}</td>`)
          .join('')}</tr>`,
    )
    .join('')}</table>`;

const SITE = await siteOf({
  'cuffs.html': `<title>Cuffs</title><h1>Falconry cuffs by arm</h1>${table('Arm|Cuff|Price', ['40–45 cm|sparrow|£20', '46–50 cm|merlin|£24', '51–55 cm|goshawk|£31'])}`,
  'parcels.html': `<title>Parcels</title><h1>Parcel postage</h1>${table('Parcel|Postage', ['up to 2 kg|£3.10', '2.5 to 5 kg|£5.40', '5.5 to 10 kg|£8.80', 'over 10 kg|£14'])}`,
  'camp.html': `<title>Camp</title><h1>Summer camp by age of the child</h1>${table('Age of the child|Group|Meets', ['5–7 years|Otters|in the barn', '8–10 years|Herons|at the lake', '11–13 years|Lynxes|at the mill'])}`,
  'de.html': `<title>Paketgewicht</title><h1>Porto für Pakete nach Gewicht</h1>${table('Gewicht|Porto', ['bis 2 kg|4,10 €', '3 bis 5 kg|6,90 €', '6 bis 10 kg|9,70 €'])}`,
});

describe('a number of the question is looked for in the ranges of a table', () => {
  it.each([
    ['Which cuff fits an arm of 53 cm?', /goshawk/, /sparrow|merlin/],
    ['What is the postage for a parcel of 7 kg?', /£8\.80/, /£3\.10|£5\.40|£14/],
    ['What is the postage for a parcel of 800 g?', /£3\.10/, /£5\.40|£8\.80|£14/],
    ['What is the postage for a parcel of 31 kg?', /£14/, /£3\.10|£5\.40|£8\.80/],
    ['Which group at camp is for a child of 9?', /Herons/, /Otters|Lynxes/],
    ['Was kostet das Porto für ein Paket mit 7 kg?', /9,70/, /4,10|6,90/],
  ])('%s', async (question, row, others) => {
    const { text } = await SITE.answer(question);
    expect(text).toMatch(row);
    expect(text).not.toMatch(others);
  });

  it('is not sure where none has it', async () => {
    expect((await SITE.answer('Which cuff fits an arm of 61 cm?')).text).toMatch(/^I (?:am not sure|don’t know)/);
  });

  it('chooses none for another unit', async () => {
    expect((await SITE.answer('Which cuff fits an arm of 53 kg?')).text).toMatch(/sparrow[^]*goshawk/);
  });
});
