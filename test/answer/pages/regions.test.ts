import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

/** What a site says by region, asked about countries: no row names them. */
const MUGS = await siteOf({
  'delivery.html': `<title>Delivery – Kilnhouse</title><h1>Delivery</h1><p>We pack every mug in wool and post it twice a week.</p>
    <h2>What it costs</h2><table><tr><th>Destination</th><th>Price</th></tr><tr><td>UK mainland</td><td>£5.20</td></tr>
    <tr><td>Northern Ireland and islands</td><td>£9.00</td></tr><tr><td>EU countries</td><td>£16.50</td></tr>
    <tr><td>Rest of Europe</td><td>£19.80</td></tr><tr><td>Rest of World</td><td>£31.00</td></tr></table>
    <p>We do not post to Russia or Belarus.</p>`,
  'about.html': `<title>About – Kilnhouse</title><h1>About us</h1><p>Our clay comes from Portugal and our glazes from Japan.</p>`,
  'returns.html': `<title>Returns – Kilnhouse</title><h1>Returns</h1><p>You may return a mug within 30 days.</p>`,
});
const HONEY = await siteOf({
  'versand.html': `<html lang="de"><title>Versand</title><h1>Versand</h1><p>Wir verschicken unseren Honig jeden Dienstag.</p>
    <h2>Versandkosten</h2><ul><li>Deutschland: 4,90 €</li><li>Übrige EU-Länder: 14,90 €</li><li>Schweiz: 19,90 €</li>
    <li>Alle anderen Länder: auf Anfrage</li></ul><p>Ab 60 € liefern wir innerhalb Deutschlands kostenlos.</p>`,
  'honig.html': `<html lang="de"><title>Honig</title><h1>Honig</h1><p>Wir ernten Linde und Raps.</p>`,
});
const SCHOOL = await siteOf({
  'matricula.html': `<html lang="es"><title>Matrícula</title><h1>Matrícula</h1><p>La matrícula se paga antes del 1 de septiembre.</p>
    <h2>Precio de la matrícula</h2><dl><dt>España</dt><dd>900 €</dd><dt>Unión Europea</dt><dd>950 €</dd>
    <dt>América Latina</dt><dd>1.200 €</dd><dt>Otros países</dt><dd>2.400 €</dd></dl>`,
  'cursos.html': `<html lang="es"><title>Cursos</title><h1>Cursos</h1><p>El curso de vela dura nueve meses.</p>`,
});
const BULBS = await siteOf({
  'verzending.html': `<html lang="nl"><title>Verzending</title><h1>Verzending</h1><p>Bloembollen gaan in een papieren zak.</p>
    <h2>Tarieven</h2><ul><li>Nederland – gratis</li><li>Overige EU-landen – € 12,50</li>
    <li>Buiten de EU – niet mogelijk</li></ul>`,
});
const POST = await siteOf({
  'parcels.html': `<title>Parcels abroad</title><h1>Parcels abroad</h1><p>A parcel may weigh 20 kg at most.</p><h2>Prices</h2>
    <p>Europe (excluding Norway): €12.</p><p>North America: €20.</p><p>We do not carry parcels to South America.</p>`,
  'letters.html': `<title>Letters</title><h1>Letters</h1><p>A letter of 20 grams costs €1.10.</p>`,
});
const WINE = await siteOf({
  'spedizioni.html': `<html lang="it"><title>Spedizioni</title><h1>Spedizioni</h1><p>Spediamo in cartoni da sei.</p><table>
    <tr><th>Zona</th><th>Costo</th></tr><tr><td>Europa 1 (Francia, Germania)</td><td>18 €</td></tr>
    <tr><td>Resto d’Europa</td><td>26 €</td></tr><tr><td>Estero</td><td>48 €</td></tr></table>`,
});

const CHOIR = await siteOf({
  'choir.html': `<title>Choir</title><p>The choir was founded by Anna Holt in 1950. Since then it has been heard abroad. Critics in
    Germany wrote of the choir: a triumph. Critics in France wrote of the choir: a scandal.</p>`,
});

const UNSURE =
  /^(?:I am not sure|Ich bin nicht sicher|No estoy segur|Ik weet (?:het )?niet zeker|Non (?:ne )?sono sicur)/;
const UNKNOWN = /don’t know|weiß ich nicht/;

describe('a question about a country', () => {
  it.each([
    ['Do you ship to Norway?', MUGS, 'Rest of Europe; Price: £19.80', /31\.00|EU/],
    ['How much is delivery to Japan?', MUGS, 'Rest of World; Price: £31.00', /Europe|EU|glazes/],
    ['delivery cost spain', MUGS, 'EU countries; Price: £16.50', /Rest/],
    ['Can you post to Berlin?', MUGS, 'EU countries; Price: £16.50', /Rest/],
    ['How much is delivery for Indian customers?', MUGS, 'Rest of World; Price: £31.00', /Europe|EU/],
    ['Was kostet der Versand nach Polen?', HONEY, 'Übrige EU-Länder: 14,90 €', /19,90|Anfrage|4,90 €.*kostenlos/],
    ['Versenden Sie auch in die USA?', HONEY, 'Alle anderen Länder: auf Anfrage', /14,90|19,90/],
    ['Soy de México. ¿Cuánto cuesta la matrícula?', SCHOOL, 'América Latina: 1.200 €', /950|2\.400/],
    ['¿Cuál es el precio de la matrícula para Marruecos?', SCHOOL, 'Otros países: 2.400 €', /950|1\.200/],
    ['Verzenden jullie naar Denemarken?', BULBS, 'Overige EU-landen – € 12,50', /niet mogelijk|gratis/],
    ['Wat kost verzending naar Zwitserland?', BULBS, 'Buiten de EU – niet mogelijk', /12,50|gratis/],
    ['How much is a parcel to Mexico?', POST, 'North America: €20.', /€12/],
    ['Can I send a parcel to Norway?', POST, 'Europe (excluding Norway): €12.', /€20/],
    ['Can I send a parcel to Brazil?', POST, 'We do not carry parcels to South America.', /€/],
    ['Quanto costa la spedizione in Svezia?', WINE, 'Resto d’Europa; Costo: 26 €', /48 €|18 €/],
  ])('is answered by the closest row, not for sure: %s', async (question, site, row, others) => {
    const { text } = await site.answer(question);
    expect(text).toContain(row);
    expect(text).not.toMatch(others);
    expect(text).toMatch(UNSURE);
  });

  it.each([
    ['Was kostet der Versand in die Schweiz?', HONEY, 'Schweiz: 19,90 €', /14,90|kostenlos/],
    ['Quanto costa la spedizione in Germania?', WINE, 'Francia, Germania); Costo: 18 €', /26 €|48 €/],
    ['Do you post to Russia?', MUGS, 'We do not post to Russia', /£/],
  ])('is answered for sure where the page names the country: %s', async (question, site, row, others) => {
    const { text } = await site.answer(question);
    expect(text).toContain(row);
    expect(text).not.toMatch(others);
    expect(text).not.toMatch(UNSURE);
  });

  it.each([
    ['What is the weather in Norway?', MUGS],
    ['Is there a showroom in Italy?', MUGS],
    ['Wie wird das Wetter in Spanien?', HONEY],
  ])('has no answer in rows about another thing: %s', async (question, site) => {
    expect((await site.answer(question)).text).toMatch(UNKNOWN);
  });

  it('is answered by no colon within a paragraph', async () => {
    expect((await CHOIR.answer('Who founded the choir that sang in Germany?')).text).toContain('founded by Anna Holt');
  });
});
