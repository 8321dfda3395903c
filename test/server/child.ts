import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The built server, in a process of its own that can be killed. */
export interface Child {
  base: string;
  port: number;
  /** The lines of its log so far. */
  log: { level: number; msg: string }[];
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code when the process is gone. */
  end(): Promise<number | null>;
}

export async function startChild(env: NodeJS.ProcessEnv): Promise<Child> {
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, DATABASE_URL: '', HOST: '127.0.0.1', PORT: '0', DEMO: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let said = '';
  child.stderr.on('data', (piece) => (said += piece));
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let ending = false;
  // A test then fails on a refused connection, which says nothing of the reason.
  child.once('exit', (code, signal) => {
    if (ending) return;
    const faults = log.filter(({ level }) => level >= 50).map((line) => JSON.stringify(line));
    console.error(`the server ended by itself (${code ?? signal}): ${[said, ...faults].join('\n').slice(-4000)}`);
  });
  const log: Child['log'] = [];
  const listening = new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { level: number; msg: string; port?: number };
      log.push(said);
      if (said.msg === 'listening' && said.port) resolve(said.port);
    });
    void gone.then(() => reject(new Error(`the server ended before it listened: ${said}`)));
  });
  const port = await listening;
  return {
    base: `http://127.0.0.1:${port}`,
    port,
    log,
    async kill() {
      ending = true;
      child.kill('SIGKILL');
      await gone;
    },
    end() {
      ending = true;
      child.kill('SIGTERM');
      return gone;
    },
  };
}
