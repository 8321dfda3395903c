import { readConfig } from '../config.ts';
import { examine, type SignInCount } from '../control/doctor.ts';
import { pluralize, sanitizeLine, type LateCommand } from './command.ts';
import { describeCounts } from './archive.ts';

export const doctorCommand: LateCommand = {
  synopsis: '[--dry-run]',
  summary: 'check every record and file, and repair what is safe',
  details: `No server may run meanwhile; with --dry-run, which changes nothing, none may have the data folder. No record that can still be read is
removed. The exit code is 1 where something is left to do.
`,
  minWords: 0,
  maxWords: 0,
  options: { 'dry-run': { type: 'boolean' } },
  async actLate(_withClient, _words, { 'dry-run': isDry = false }, { out }, env) {
    const { counts, repaired, left, signIns } = await examine(readConfig(env), isDry);
    for (const what of repaired) out(`${isDry ? 'would repair' : 'repaired'}: ${sanitizeLine(what)}\n`);
    for (const what of left) out(`left: ${sanitizeLine(what)}\n`);
    out(describeSignIns(signIns));
    const verb = isDry ? 'to repair' : 'repaired';
    out(`checked ${describeCounts(counts)}: ${pluralize(repaired.length, 'fault')} ${verb}, ${left.length} left\n`);
    return left.length > 0 || (isDry && repaired.length > 0) ? 1 : 0;
  },
};

/** '' where there are none. */
function describeSignIns({ users, oldest }: SignInCount): string {
  const counts = Object.entries(users);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return '';
  const of = counts.map(([email, count]) => `${email} (${count})`).join(', ');
  return `${pluralize(total, 'browser')} signed in to the console, the first at ${oldest}: ${sanitizeLine(of)}\n`;
}
