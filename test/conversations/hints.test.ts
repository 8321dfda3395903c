import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { start } from '../running.ts';

it('names the nearest agent, label or variable where a file names one that there is not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-hints-'));
  const running = await start();
  try {
    const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Lamps' })).body;
    await running.api('POST', `/chatbot/${uuid}/agent/create`, { name: 'Opening hours', type: 'pre-canned' });
    const path = join(dir, 'talk.yaml');
    await writeFile(
      path,
      `
conversations:
  - name: slips of the pen
    variables: { plan: pro }
    turns:
      - ask: When do you open?
        agent: Opening huors
        labels: [Complaint]
        variables: { plam: pro, plan: pro }
      - { ask: When do you open?, agent: opening HOURS }
`,
    );
    let out = '';
    const terminal = { out: (text: string) => (out += text), err: () => true };
    expect(await runCommand(['test', path], { DATA_DIR: running.dataDir }, terminal)).toBe(1);
    for (const hint of [
      'agent “Opening huors”; did you mean “Opening hours”?',
      'label “Complaint”',
      'variable “plam”; did you mean “plan”?',
    ])
      expect(out).toContain(`    the chatbot has no ${hint}\n`);
    expect(out.match(/the chatbot has no/g)).toHaveLength(3);
  } finally {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
