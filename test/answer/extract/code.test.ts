import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'tide.html': `<title>tide</title><h1>tide</h1><p>The program tide keeps the tables of a harbour in step with its gauge.</p>
    <h2>Stations</h2><p>A station can only be named when adding it. Nobody else can add a station while you add a station, and a
    station that was added by mistake stays in the list for an hour. Give the harbour and the gauge</p>
    <pre>tide add HARBOUR --gauge NUMBER\ntide confirm</pre><p>Stations that nobody confirms are gone the next day.</p>
    <h2>Excluding a day</h2><p>Excluded days count as dry. A day that is excluded stays excluded for good. To leave a day out, put it
    in the settings:</p><pre>[days]\nexclude = 2026-12-24</pre>`,
  'gauge.html': `<title>Gauges</title><h1>Gauges</h1><p>A gauge floats in a pipe beside the quay, and is read each minute.</p>`,
});

describe('where the question asks how something is done', () => {
  it.each([
    ['How do I add a station?', 'tide add HARBOUR --gauge NUMBER\ntide confirm', 'Give the harbour and the gauge'],
    ['How can I exclude a day?', '[days]\nexclude = 2026-12-24', 'To leave a day out, put it in the settings:'],
  ])('its code is quoted whole, below the sentence that leads to it: %s', async (question, code, above) => {
    const { text } = await SITE.answer(question);
    expect(text).toContain(`${above}\n\n\`\`\`\n${code}\n\`\`\``);
  });
});

it('quotes the sentence that answers another question about the same section', async () => {
  const { text } = await SITE.answer('What happens to stations that nobody confirms?');
  expect(text).toContain('gone the next day');
  expect(text).not.toContain('HARBOUR');
});
