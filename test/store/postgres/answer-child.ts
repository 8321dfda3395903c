import { writeSync } from 'node:fs';
import { openPostgresStore } from '../../../server/store/postgres/postgres.ts';
import { answerResult, startChatServer } from '../../proxy/fixture.ts';

/** A server over the database of the first argument, whose answers never end; it says its address. */

const url = process.argv[2]!;
const docent = await startChatServer({ openStore: (options) => openPostgresStore({ url, ...options }) });
docent.respond = async (_, run) => {
  for (let n = 0; !run.stopped; n++) {
    run.append(`word${n} `);
    await new Promise((done) => setTimeout(done, 10));
  }
  return answerResult({ finish_reason: 'stopped' });
};
writeSync(1, `${docent.base}\n`);
