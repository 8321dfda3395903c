// `npm start` is `exec node …` because npm sends signals to its shell only, and most shells end at SIGTERM without passing it
// on; the second half of that line is for Windows, whose shell has no `exec`. V8 gets one thread beside its own: each of its four keeps
// what it has allocated, 2 MB of an idle server.
import { ensureBuilt } from './build.mjs';

try {
  await ensureBuilt();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
// In this same process, so that signals and exit codes are the server's own.
const main = new URL('../../dist/server/main.js', import.meta.url);
await import(main.href);
