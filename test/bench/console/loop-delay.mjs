import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// For `--import` of a server that is measured: a GET at LOOP_DELAY_PORT gives the longest delay of its event loop since the last, in ms.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
createServer((_, reply) => {
  reply.end(String(delay.max / 1e6));
  delay.reset();
})
  .listen(Number(process.env['LOOP_DELAY_PORT']), '127.0.0.1')
  .unref();
