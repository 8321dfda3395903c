import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  quota: `<title>Quota</title><p>The archive is written once a night. Old archives are thinned by age, so that the disk holds
    them. For example, weekly archives are kept for two months. The report of each run goes to the log folder, where
    it stays until the next run. Note that remote folders are read twice, once for names and once for content. Runs
    that end early are listed with the reason, and start again at the next hour or when the machine wakes up.</p>`,
});

it.each([
  ['How long are weekly archives kept?', /^(?!For example)[^]*thinned by age[^]*For example, weekly archives/],
  ['Are remote folders read twice?', /^(?!Note that)[^]*next run\. Note that remote folders are read twice/],
])('an answer does not begin with an example or a remark: %s', async (question, answer) => {
  expect((await SITE.answer(question)).text).toMatch(answer);
});
