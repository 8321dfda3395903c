import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { bench } from '../bench/routing.ts';

const folder = mkdtempSync(join(tmpdir(), 'docent-routing-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string, data: object): string => {
  const path = join(folder, `${name}.json.gz`);
  writeFileSync(path, gzipSync(JSON.stringify(data)));
  return path;
};

test('the routing bench counts right choices and false alarms of a file of agents', async () => {
  const agents = [
    { id: 'a', type: 'user-facing', name: 'Boats', description: 'Sails and leaks.', prompt: '' },
    { id: 'b', type: 'user-facing', name: 'Clocks', description: '', prompt: '', examples: ['My clock is late'] },
    { id: 'c', type: 'human-escalation', name: 'Person', description: '', prompt: '', bias: -10 },
    { id: 'd', type: 'spam-defense', name: 'Spam', description: '', prompt: '' },
  ];
  const queries = [
    { id: '1', text: 'a leak', agent: 'a' },
    { id: '2', text: 'the clock', agent: 'b' },
    { id: '3', text: 'a human please', agent: 'c' },
    { id: '4', text: 'Let me talk to a human', agent: 'a' },
    { id: '5', text: 'fuck you', agent: 'b' },
  ];
  expect(await bench([fileOf('team', { agents, queries }), '--json'])).toMatchObject({
    dataset: 'team',
    accuracy: 0.6,
    false_escalation: 0.25,
    false_spam: 0.2,
    escalation_recall: 1,
    queries: 5,
  });
});

test('the routing bench makes an agent of each label, and examples of all rows but a fifth, or of ten', async () => {
  const of = (label: string, words: string[]) =>
    Array.from({ length: 40 }, (_, at) => ({ id: `${label}${at}`, label, text: `${words[at % 4]} of the ${label}` }));
  const queries = [...of('boat', ['sail', 'leak', 'mast', 'keel']), ...of('clock', ['hand', 'chime', 'dial', 'gear'])];
  const path = fileOf('labels', { queries });
  expect(await bench([path])).toMatchObject({ accuracy: 1, false_escalation: 0, false_spam: 0 });
  expect(await bench([path, '--ten'])).toMatchObject({ accuracy: 1, queries: 60 });
});
