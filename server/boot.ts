import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino, type Logger } from 'pino';
import { createMailer } from './mail/mailer.ts';
import { createUsers } from './control/users.ts';
import { createDocs } from './api/openapi/docs-page.ts';
import { createApp } from './app.ts';
import { createAuth } from './http/auth.ts';
import { baseOf, listeningAt, misspeltVariables, connectableHost, readConfig, type Config } from './config.ts';
import { createDemo, type Demo } from './demo/demo.ts';
import { asRefusal } from './schema/errors.ts';
import { createHealth } from './health/health.ts';
import { startTakeOver } from './knowledge/crawl/take-over.ts';
import { createSchedules } from './knowledge/crawl/schedule.ts';
import { handleSequentially } from './http/pipelining.ts';
import { createFileReader, createStaticFiles } from './http/static.ts';
import { createChatRouter } from './proxy/router.ts';
import { remoteUpstream } from './proxy/upstream/remote.ts';
import { localUpstream } from './proxy/upstream/upstream.ts';
import { createConsole } from './console/console.ts';
import { newLoginLink } from './console/sign-ins.ts';
import { createControl } from './control/control.ts';
import { createServices } from './control/services.ts';
import { startWeeklyMail } from './control/weekly-mail.ts';
import { startRetention } from './control/retention.ts';
import { openSharedSocket, openSocket } from './control/socket.ts';
import type { LowdbOptions } from './store/lowdb/lowdb.ts';
import { engineOf, openStore } from './control/open-store.ts';

/** How often, while the process ends, answers that no client reads are looked for. */
const UNREAD_INTERVAL_MS = 1000;
/** Looks without a reader before an answer is interrupted, where a visitor who loads the next page reads on through another process. */
const UNREAD_LOOKS = 10;

/** The server without the TCP socket it listens on. */
export interface DocentServer {
  config: Config;
  /** Where the world reaches it, without a slash at the end. */
  base: string;
  log: Logger;
  demo: Demo | undefined;
  /** Makes the first key where there is none and the environment has none; undefined else. */
  firstKey(): Promise<string | undefined>;
  /** A new link that signs the owner in to the console; undefined where there is none. */
  loginLink(): Promise<string | undefined>;
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** From now on every new request is refused; resolves when no answer is being made, or after `patience` ms. */
  drain(patience: number): Promise<void>;
  close(): Promise<void>;
}

/** Seams for tests. */
interface BootOptions extends Pick<LowdbOptions, 'disk' | 'probeInterval'> {
  /** Of the console's page. */
  consoleDir?: string;
}

/** Throws an Error whose message names the variable, or the data folder, that is at fault. */
export async function boot(
  env: NodeJS.ProcessEnv,
  { disk, probeInterval, consoleDir }: BootOptions = {},
): Promise<DocentServer> {
  const config = readConfig(env, process.stdout.isTTY);
  const log = pino(
    { level: config.logLevel, base: null, serializers: { err: serializeError } },
    pino.destination(LOG_DESTINATION),
  );
  for (const sentence of misspeltVariables(env)) log.warn(sentence);
  const clock = Date.now;
  const health = createHealth();
  const store = await openStore(config, { clock, log, health, disk, probeInterval });
  const users = createUsers({ store, clock });

  const services = await createServices(config, { store, clock, log, health, self: ownAddresses(config) });
  const {
    knowledge,
    sites,
    catalogue,
    caller,
    router,
    respond,
    runs,
    draftGap,
    suggestions,
    takeUse,
    serverModels,
    audit,
  } = services;
  const schedules = createSchedules({ store, knowledge, sites, clock, log });
  const upstream = config.upstream
    ? remoteUpstream({ ...config.upstream, answerTimeout: config.answerTimeout, store, clock, log, health })
    : localUpstream({ store, respond });
  const demo =
    config.demo && !config.upstream
      ? createDemo({
          store,
          knowledge,
          runs,
          respond,
          clock,
          base: baseOf(config),
          script: createFileReader(join(distFolder(), 'demo')),
        })
      : undefined;

  const mailer = config.mail && createMailer(config.mail);
  const { apiKey } = config;
  const consoleDeps = {
    store,
    apiKey,
    place: config,
    framing: sites.framing,
    dir: consoleDir ?? join(distFolder(), 'console'),
    hasMail: mailer !== undefined,
    hasModel: draftGap !== undefined,
    audit,
    clock,
  };
  const ownersConsole = config.console ? await createConsole(consoleDeps) : undefined;

  let draining = false;
  const deps = {
    store,
    knowledge,
    schedules,
    sites,
    runs,
    router,
    respond,
    draftGap,
    catalogue,
    caller,
    takeUse,
    audit,
    serverModels,
    clock,
    log,
    base: baseOf(config),
    mail: mailer,
  };
  const app = createApp({
    ...deps,
    authenticate: ownersConsole?.authenticate ?? createAuth(store, apiKey, clock),
    console: ownersConsole?.routes,
    assets: await createStaticFiles({ dir: distFolder() }),
    docs: createDocs({ dir: join(distFolder(), 'docs') }),
    chat: createChatRouter({
      store,
      runs,
      upstream,
      clock,
      log,
      trustProxyHops: config.trustProxyHops,
      publicUrl: config.publicUrl,
      // The asker, two tabs more, and who takes up an answer again.
      maxStreams: config.maxAnswers * 4,
      // Of an upstream server's chatbots the sources are not known.
      ...(config.upstream ? {} : { profile: (chatbot) => suggestions.profileOf(chatbot) }),
    }),
    demo: demo?.pages,
    health,
    draining: () => draining,
  });
  const handle = app.callback();
  const takeOver = await startTakeOver({
    store,
    resume: () =>
      // Of a shared store the next look does it.
      store.learners
        ? sites.resume()
        : withFallback(sites.resume(), new Set<string>(), 'the crawls under way do not go on'),
    knowledge,
    log,
  });
  await knowledge.embedMissing();
  await schedules.start();
  const retention = startRetention({ ...deps, snapshots: store, auditDays: config.auditDays });
  const weeklyMail = mailer && startWeeklyMail({ ...deps, snapshots: store, mailer });
  const ending = new AbortController();
  const control = createControl({
    ...deps,
    snapshots: store,
    engine: engineOf(config),
    hasConsole: config.console,
    apiKey: config.apiKey,
    ending: ending.signal,
  });
  const socket = (config.databaseUrl === undefined ? openSocket : openSharedSocket)(config.dataDir, control, log);
  const commands = await withFallback(socket, { close: () => Promise.resolve() }, 'commands cannot reach this server');

  void services.warm();

  /** Where the disk refuses it the server starts without it. */
  function withFallback<T>(starting: Promise<T>, without: T, sentence: string): Promise<T> {
    return starting.catch((error: Error) => {
      if (!asRefusal(error) && !asRefusal(error.cause)) throw error;
      log.warn({ err: error }, sentence);
      return without;
    });
  }

  return {
    config,
    base: baseOf(config),
    log,
    demo,
    firstKey: async () => (apiKey === undefined ? users.addFirstKey(store.owner.user.email, 'first start') : undefined),
    loginLink: async () =>
      ownersConsole?.hasPage ? newLoginLink({ store, clock, base: baseOf(config) }, store.owner.user) : undefined,
    handler: handleSequentially((request, response) => void handle(request, response)),
    async drain(patience) {
      draining = true;
      const timer = setTimeout(() => void runs.interrupt(), patience);
      const looks = config.databaseUrl === undefined ? 1 : UNREAD_LOOKS;
      const unread = setInterval(() => runs.interruptUnread(looks), UNREAD_INTERVAL_MS);
      await runs.settled();
      clearInterval(unread);
      clearTimeout(timer);
    },
    async close() {
      draining = true;
      ending.abort();
      const commandsEnded = commands.close();
      // A command under way may wait for an answer.
      await runs.interrupt();
      await commandsEnded;
      await takeOver.close();
      await schedules.close();
      await retention.close();
      await weeklyMail?.close();
      await services.close();
      await upstream.close();
      await store.close();
      log.flush();
    },
  };
}

/** Log lines are written every 4 kB or 200 ms: a write for each costs more than formatting it. */
const LOG_DESTINATION = { dest: 1, sync: false, minLength: 4096, periodicFlush: 200 };

/**
 * Of an error what says where it happened, and no other property: Node's own parser puts the caller's bytes into its
 * errors, key and question among them.
 */
function serializeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    code,
    message,
    stack,
    ...(cause && depth < 4 ? { cause: serializeError(cause, depth + 1) } : {}),
  };
}

/** Of the server itself only the demo's pages may be fetched, under whatever name it goes. */
const ownAddresses = (
  config: Config,
): { origins: string[]; connect: { host: string; port: number }; paths: string[] } => ({
  origins: [...new Set([new URL(baseOf(config)).origin, listeningAt(config), `http://localhost:${config.port}`])],
  connect: { host: connectableHost(config.host), port: config.port },
  paths: config.demo ? ['/demo/'] : [],
});

/** `dist/`, seen from the bundle in dist/server or from this file in server/. */
function distFolder(): string {
  const above = fileURLToPath(new URL('..', import.meta.url));
  return existsSync(join(above, 'embed.js')) ? above : join(above, 'dist');
}
