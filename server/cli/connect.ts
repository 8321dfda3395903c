import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { Client } from '../control/client.ts';
import { createControl } from '../control/control.ts';
import { baseOf, type Config } from '../config.ts';
import { createHealth } from '../health/health.ts';
import { createServices } from '../control/services.ts';
import { inProcess, NoServer, connectToSocket, otherVersion } from '../control/socket.ts';
import { createSchedules } from '../knowledge/crawl/schedule.ts';
import { FolderInUse } from '../store/lowdb/files/lock.ts';
import { engineOf, findInstallation, openStore } from '../control/open-store.ts';
import { withSessionsInMemory } from '../store/session-memory.ts';
import { sanitizeText, type Terminal } from './command.ts';

/** How long a server that has the folder may take until it listens to commands. */
const STARTING_MS = 3000;

type Act<T> = (client: Client) => Promise<T>;

interface FolderOptions {
  /** Without a server, new sessions are not stored: they are to leave nothing behind, and to cost little. */
  sessionsInMemory?: boolean;
}

/** Acts through the server that has the folder, or where none runs, through its handler in this process. */
export const withClient = <T>(
  config: Config,
  terminal: Terminal,
  act: Act<T>,
  options: FolderOptions = {},
): Promise<T> =>
  throughServer(
    async () => {
      await checkServer(config);
      return act(new Client(connectToSocket(config.dataDir)));
    },
    () => withOwnFolder(config, terminal, act, options),
  );

/** Rejects where DATABASE_URL names another place than the server of the folder has its data in, and with `NoServer` where there is none. */
export async function checkServer({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl === undefined) return;
  const { engine, owner } = await new Client(connectToSocket(dataDir)).server();
  if (engine === undefined) throw otherVersion();
  const remedy = `set the DATA_DIR of a server that has, or unset DATABASE_URL`;
  if (engine === 'files')
    throw new Error(`the server of ${dataDir} has its data there, and not in the database of DATABASE_URL: ${remedy}`);
  if (owner !== (await findInstallation(databaseUrl)))
    throw new Error(`the server of ${dataDir} has its data in another database than DATABASE_URL names: ${remedy}`);
}

/** `without` is called where no server runs. One that is starting is waited for. */
export async function throughServer<T>(through: () => Promise<T>, without: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + STARTING_MS; ; await wait(50)) {
    try {
      return await through();
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
    }
    try {
      return await without();
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > end) throw error;
    }
  }
}

async function withOwnFolder<T>(
  config: Config,
  { err }: Terminal,
  act: Act<T>,
  { sessionsInMemory = false }: FolderOptions,
): Promise<T> {
  const dir = config.dataDir;
  const clock = Date.now;
  const isNew = config.databaseUrl === undefined && !existsSync(join(dir, 'store.json'));
  const opened = await openStore(config, { clock, log: { warn: (_, sentence) => err(`docent: ${sentence}\n`) } });
  const store = sessionsInMemory ? withSessionsInMemory(opened) : opened;
  // A new folder may mean that DATA_DIR was not set; its keys are of no use to the server.
  if (isNew) err(`docent: ${dir} is a new data folder, made now\n`);
  const log = errorsTo(err);
  const services = await createServices(config, { store, clock, log, health: createHealth() });
  const { close, ...deps } = services;
  const schedules = createSchedules({ ...deps, store, clock, log });
  const handle = createControl({
    ...deps,
    store,
    snapshots: opened,
    schedules,
    clock,
    log,
    engine: engineOf(config),
    base: baseOf(config),
    hasConsole: config.console,
    apiKey: config.apiKey,
  });
  try {
    return await act(new Client(inProcess(handle)));
  } finally {
    await close();
    await store.close();
  }
}

/** Prints errors that a command logs to the terminal, a line each. */
function errorsTo(err: (text: string) => void): Logger {
  const write = (line: string): void => {
    const { msg, err: error } = JSON.parse(line) as { msg?: string; err?: { message: string } };
    err(`docent: ${sanitizeText([msg, error?.message].filter(Boolean).join(': '))}\n`);
  };
  return pino({ level: 'error', base: null }, { write });
}
