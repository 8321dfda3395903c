import { pino } from 'pino';
import { expect, it } from 'vitest';
import { printWelcome } from '../../../server/cli/welcome.ts';
import type { DocentServer } from '../../../server/boot.ts';

it('indents each line of the demo answer by two spaces, and prints a source without an address by its title', async () => {
  const sources = { '1': { title: 'Returns', file_name: 'http://a.test/' }, '2': { title: 'Lamps?', file_name: '' } };
  const demo = {
    sampleQuestion: 'How long?',
    prepare: async () => ({ chatbot: 'c', created: true }),
    learned: async () => {},
    async ask(write: (words: string) => void) {
      for (const piece of ['You have', ' 45 days. [1]\n', '\nFrom the day', ' of arrival.\n- one\n- two']) write(piece);
      return { cite_data_json: JSON.stringify(sources) };
    },
  };
  const booted = { demo, base: 'http://docent.test', log: pino({ level: 'silent' }), firstKey: async () => 'dk_1' };
  let said = '';
  await printWelcome(booted as unknown as DocentServer, (words) => (said += words));
  expect(said).toContain(
    '\n  How long?\n  You have 45 days. [1]\n\n  From the day of arrival.\n  - one\n  - two\n\n  [1] Returns: http://a.test/\n  [2] Lamps?\n\n',
  );
});
