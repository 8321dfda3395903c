import { runnerImport } from 'vite';

/**
 * `node server/agents/routing/train/train.mjs FOLDER`: trains the detectors that are in `../trained/` anew. FOLDER holds
 * `banking77-train.json.gz` and `sms-spam-a.json.gz`: `{"queries": [{"id", "text", "label"}]}` each.
 */
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: train.mjs FOLDER');
const { module } = await runnerImport(new URL('./train.ts', import.meta.url).pathname);
module.train(folder);
