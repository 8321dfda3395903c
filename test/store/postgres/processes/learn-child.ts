import { writeSync } from 'node:fs';
import { aSource } from '../../records.ts';
import { openProcess } from './learner.ts';

/**
 * A process that learns: over the database of the first argument, for the chatbot of the second, from the site of the third
 * `/alone/1` to `/alone/6`, and by a crawl from `/page` on. It says when it has begun.
 */
const [url, chatbot, origin] = process.argv.slice(2) as [string, string, string];
const { store, sites, knowledge } = await openProcess(url, new URL(origin).host);
await sites.start(chatbot, { url: `${origin}/page` });
for (let n = 1; n <= 6; n++) {
  const address = `${origin}/alone/${n}`;
  const source = aSource(chatbot, { title: '', status: 'await', file_name: address, identity: address });
  await store.createSource(source);
  await knowledge.ingest(source);
}
writeSync(1, 'begun\n');
