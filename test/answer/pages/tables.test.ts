import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'sizes.html': `<title>Sizes</title><h1>Sizes</h1><table><tr><td><b>Size</b></td><td><b>Chest</b></td><td><b>Waist</b></td></tr>
    <tr><td>S</td><td>88 cm</td><td>72 cm</td></tr><tr><td>M</td><td>96 cm</td><td>78 cm</td></tr>
    <tr><td>XL</td><td>112 cm</td><td>98 cm</td></tr></table>`,
  'shipping.html': `<title>Shipping</title><h1>Shipping</h1><p>Parcels leave on Fridays.</p>
    <table><tr><th>Where to</th><th>Parcel</th><th>Boat</th></tr><tr><td>Wales</td><td>£4</td><td>£60</td></tr>
    <tr><td>Europe</td><td>£12</td><td>£240</td></tr><tr><td>America</td><td>£21</td><td>£500</td></tr></table>
    <p>By Europe we mean the EU and Switzerland, for example Germany and Poland.</p>`,
  'boats.html': `<title>Boats</title><h1>Boats</h1><table><tr><td></td><th>Heron</th><th>Tern</th></tr>
    <tr><td>Length</td><td>3.66 m</td><td>4.57 m</td></tr><tr><td>Weight</td><td>21 kg</td><td>24 kg</td></tr></table>`,
  'courses.html': `<title>Courses</title><h1>Courses</h1><table><tr><th colspan="3">In summer</th></tr>
    <thead><tr><td>Course</td><td>Day</td><td>Price</td></tr></thead><tr><th colspan="3">For beginners</th></tr>
    <tr><td>First strokes</td><td>Saturday</td><td>£45</td></tr><tr><td>Family morning</td><td>Sunday</td><td>£95</td></tr>
    <tr><th colspan="3">For the experienced</th></tr><tr><td rowspan="2">Rolling</td><td>Monday</td><td>£38</td></tr>
    <tr><td>Thursday</td><td>£41</td></tr></table>`,
  'hire.html': `<title>Hire</title><h1>Hire</h1><table><tr><td>Boat</td><td>Hour</td><td>Day</td></tr>
    <tr><td>Canoe</td><td>£26</td><td>£82</td></tr><tr><td>Paddleboard</td><td>£12</td><td>£39</td></tr></table>`,
});

const answerTo = async (question: string): Promise<string> => (await SITE.answer(question)).text;

describe('a question about a table', () => {
  it.each([
    ['What is the waist of size XL?', 'Size: XL; Chest: 112 cm; Waist: 98 cm [1]', /88 cm|96 cm/],
    ['What is the chest of size M?', 'Size: M; Chest: 96 cm; Waist: 78 cm [1]', /88 cm|112 cm/],
    ['What is the weight of the Tern?', 'Weight — Heron: 21 kg; Tern: 24 kg [1]', /Length/],
    ['What does a paddleboard cost an hour?', 'Boat: Paddleboard; Hour: £12; Day: £39 [1]', /Canoe/],
    [
      'What does the family morning cost?',
      'For beginners: Course: Family morning; Day: Sunday; Price: £95 [1]',
      /Saturday|experienced/,
    ],
    ['What does rolling on Thursday cost?', 'Course: Rolling; Day: Thursday; Price: £41', /Sunday/],
  ])('is answered by the row that it names, with the names of its columns: %s', async (question, row, others) => {
    const text = await answerTo(question);
    expect(text).toContain(row);
    expect(text).not.toMatch(others);
  });

  it('is answered by all rows below one that it names', async () => {
    const text = await answerTo('Which courses are there for beginners?');
    expect(text).toMatch(/First strokes[^]*Family morning/);
    expect(text).not.toContain('Rolling');
  });

  it('is answered by the row that its thing belongs to, as the page says', async () => {
    const { text, citations } = await SITE.answer('How much is a parcel to Germany?');
    expect(text).toContain('Where to: Europe; Parcel: £12; Boat: £240');
    expect(text).toContain('for example Germany');
    expect(text).not.toMatch(/Wales|America|not sure/);
    expect(
      Object.values(citations)
        .map((one) => one.text)
        .join('\n'),
    ).toContain('By Europe we mean');
  });

  it('is not sure where the page does not say so', async () => {
    expect(await answerTo('How much is a parcel to Mongolia?')).toMatch(/^I (?:am not sure|don’t know)/);
  });
});
