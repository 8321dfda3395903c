import { expect, it } from 'vitest';
import { statusWords } from '../../widget/console/words.ts';

/** What the console says of a source that could not be read. */

it.each(['no text', 'content type'])('speaks of a file where an upload failed with “%s”', (reason) => {
  const failed = { status: `error:${reason}`, meta_json: '{}' };
  const file = statusWords({ ...failed, type: 'upload' }).advice;
  expect(file).toMatch(/^The file /);
  expect(file).not.toMatch(/page|address/);
  expect(statusWords({ ...failed, type: 'link' }).advice).toMatch(/page/);
});
