import { describeFailure, oneLine } from './report.ts';
import { isFailed, type Judged } from './run.ts';

/** The result as JUnit XML, which build servers read: a suite a file, a case a conversation. */
export function junitXml(judged: Judged[]): string {
  const files = [...new Set(judged.map(({ file }) => file))];
  const casesOf = (name: string): Judged[] => judged.filter(({ file }) => file === name);
  const body = files.map((file) => suite(file, casesOf(file))).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(judged)}>\n${body}</testsuites>\n`;
}

const suite = (file: string, cases: Judged[]): string =>
  `  <testsuite name="${escaped(file)}" ${counts(cases)}>\n${cases.map(testcase).join('')}  </testsuite>\n`;

function testcase(judged: Judged): string {
  const { file, conversation, turns, time } = judged;
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(conversation.name)}" time="${time.toFixed(3)}"`;
  if (!isFailed(judged)) return `${head}/>\n`;
  const failed = turns.flatMap(({ differences }, at) =>
    differences.map(({ what, expected, got }) => `turn ${at + 1}: ${what}: ${oneLine(expected)}, but ${oneLine(got)}`),
  );
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
  const message = `message="${escaped(failed[0] + more)}"`;
  return `${head}>\n      <failure ${message}>${escaped(describeFailure(judged))}</failure>\n    </testcase>\n`;
}

function counts(judged: Judged[]): string {
  const time = judged.reduce((sum, one) => sum + one.time, 0);
  return `tests="${judged.length}" failures="${judged.filter(isFailed).length}" errors="0" time="${time.toFixed(3)}"`;
}

/** XML 1.0 has no place for most control characters, however they are written. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
