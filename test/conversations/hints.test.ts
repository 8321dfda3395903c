import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../server/cli/run.ts';
import { start } from '../running.ts';

it('names the nearest of what there is, or all, where a file names what there is not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'docent-hints-'));
  const running = await start();
  try {
    const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Lamps' })).body;
    await running.api('POST', `/chatbot/${uuid}/agent/create`, { name: 'Opening hours', type: 'pre-canned' });
    const [general] = (await running.api('GET', `/chatbot/${uuid}/agents`)).body;
    const look = { name: 'look_up', external_url: 'http://127.0.0.1:9/' };
    await running.api('POST', `/agent/${general.uuid}/function/create`, look);
    const order = { name: 'order', default_value: { content: '', static: 0 } };
    await running.api('POST', `/agent/${general.uuid}/update`, { variables: [order] });
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
        state: requestd
        tools: [look_pu, stock]
        variables: { plam: pro, plan: pro }
      - { ask: When do you open?, agent: Hours, state: called, tools: [] }
      - { ask: When do you open?, variables: { ordr: null, order: null } }
      - { ask: When do you open?, agent: opening HOURS }
`,
    );
    let out = '';
    const terminal = { out: (text: string) => (out += text), err: () => true };
    expect(await runCommand(['test', path], { DATA_DIR: running.dataDir }, terminal)).toBe(1);
    for (const hint of [
      'agent “Opening huors”; did you mean “Opening hours”?',
      'agent “Hours”; there are “General Q&A”, “Opening hours”',
      'state “requestd”; did you mean “requested”?',
      'state “called”; there are “none”, “requested”',
      'label “Complaint”',
      'function “look_pu”; did you mean “look_up”?',
      'function “stock”; there is “look_up”',
      'variable “plam”; did you mean “plan”?',
      'variable “ordr”; did you mean “order”?',
    ])
      expect(out).toContain(`    the chatbot has no ${hint}\n`);
    expect(out.match(/the chatbot has no/g)).toHaveLength(9);
    expect(out).toContain('    variables.ordr\n      - not set\n      + unknown: no enabled agent declares it\n');
    expect(out).not.toContain('variables.order');
  } finally {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
