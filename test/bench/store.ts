import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import type { Store, StoredMessage } from '../../server/store/store.ts';
import { aMessage, aSession } from '../store/records.ts';
import { floorIn } from './store/floor.ts';
import { folderWith, MESSAGES, type Folder } from './store/folder.ts';
import { interleaved, median, row, type Row } from './store/timing.ts';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 15;
const TIMES = 30;
/** Makes the line of a message about 1 KB long. */
const ANSWER = 'You can return what you do not like. '.repeat(17);

/** The default store against the bare disk (GOALS: append 1 KB + fdatasync = 1.0). */
export async function bench(): Promise<Row[]> {
  const folders: Folder[] = [];
  try {
    for (const size of SIZES) {
      console.error(`store: a folder with ${size} sessions …`);
      folders.push(await folderWith(size));
    }
    const start = startTime(folders.at(-1)!);
    return [...(await measureWrites(folders)), ...start];
  } finally {
    for (const folder of folders) folder.remove();
  }
}

/** What a child of `startTime` runs. */
export async function openOnce(dir: string): Promise<void> {
  await openLowdbStore({ dir, clock: Date.now });
  process.exit(0);
}

async function measureWrites(folders: Folder[]): Promise<Row[]> {
  const stores: Store[] = [];
  for (const { dir } of folders) stores.push(await openLowdbStore({ dir, clock: Date.now }));
  try {
    const writers = folders.map((folder, at) => new Writer(stores[at]!, folder));
    const rows = await messageWrites(writers);
    rows.push(...(await documentWrites(writers.at(-1)!, folders.at(-1)!)));
    rows.push(await eventLoop(writers.at(-1)!, folders.at(-1)!), ...(await listing(writers.at(-1)!, folders.at(-1)!)));
    for (const writer of writers) await writer.check();
    return rows;
  } finally {
    for (const store of stores) await store.close();
  }
}

/** Writes to one store, and remembers all of it for the check at the end. */
class Writer {
  readonly store: Store;
  readonly folder: Folder;
  readonly #saved: StoredMessage[] = [];
  #next = 0;
  #untouched = 0;

  constructor(store: Store, folder: Folder) {
    this.store = store;
    this.folder = folder;
  }

  /** Of forty sessions in use. */
  busy = () => this.#save(this.folder.sessions[this.#next++ % 40]!);

  /** Of a session that nobody has touched since the start. */
  cold = () => this.#save(this.folder.sessions[40 + this.#untouched++]!);

  begun = async () => {
    const session = aSession(this.folder.chatbots[0]!);
    const message = aMessage(session.uuid, { response: ANSWER });
    assert.equal(await this.store.saveMessage(message, session), true);
    this.#saved.push(message);
  };

  update = () =>
    this.store.updateChatbot(this.folder.chatbots[0]!, (chatbot) => ({ ...chatbot, name: 'a'.repeat(700) }));

  async check(): Promise<void> {
    for (const message of this.#saved) assert.deepEqual(await this.store.message(message.uuid), message);
    const untouched = await this.store.messages(this.folder.sessions.at(-1)!);
    assert.equal(untouched.length, MESSAGES);
  }

  async #save(session: string): Promise<void> {
    const message = aMessage(session, { response: ANSWER });
    assert.equal(await this.store.saveMessage(message), true);
    this.#saved.push(message);
  }
}

async function messageWrites(writers: Writer[]): Promise<Row[]> {
  const floor = floorIn(writers[0]!.folder.dir);
  const actions: Record<string, () => Promise<unknown>> = { append: floor.append, create: floor.create };
  for (const writer of writers) {
    const size = writer.folder.sessions.length;
    actions[`busy ${size}`] = writer.busy;
    actions[`begun ${size}`] = writer.begun;
    actions[`cold ${size}`] = writer.cold;
  }
  await interleaved(actions, 1, TIMES);
  const taken = await interleaved(actions, ROUNDS, TIMES);
  floor.close();
  const of = (kind: string, size: number) => taken[`${kind} ${size}`]!;
  const append = taken['append']!;
  return [
    ...SIZES.map((size) => row(`message, ${size} sessions stored`, of('busy', size), append, '<= 1.5')),
    row('message, 100000 against 1000 sessions stored', of('busy', 100_000), of('busy', 1_000), '<= 1.2'),
    ...SIZES.map((size) => row(`message of a session not in memory, ${size} stored`, of('cold', size), append, '-')),
    ...SIZES.map((size) =>
      row(`first message of a session, ${size} stored (floor: a new file)`, of('begun', size), taken['create']!, '-'),
    ),
  ];
}

async function documentWrites(writer: Writer, folder: Folder): Promise<Row[]> {
  const floor = floorIn(folder.dir);
  const taken = await interleaved({ floor: floor.replace, update: writer.update }, ROUNDS, TIMES);
  floor.close();
  return [
    row('update of a chatbot (floor: temp, fsync, rename, fsync folder)', taken['update']!, taken['floor']!, '-'),
  ];
}

/** The median of several longest stops, beside those of the bare disk: a shared machine stops everybody now and then. */
async function eventLoop(writer: Writer, folder: Folder): Promise<Row> {
  const floor = floorIn(folder.dir);
  const stops = { floor: [] as number[], store: [] as number[] };
  for (let round = 0; round < 9; round++) {
    stops.floor.push(await longestStop(() => twentyAtOnce(floor.append)));
    stops.store.push(await longestStop(() => twentyAtOnce(writer.busy)));
  }
  floor.close();
  const name = 'longest stop of the event loop, 200 writes, 20 at once';
  return row(name, median(stops.store), median(stops.floor), '<= 5 ms');
}

async function twentyAtOnce(write: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, write));
}

async function listing(writer: Writer, folder: Folder): Promise<Row[]> {
  let ms = NaN;
  const least = await longestStop(() => wait(300));
  const stop = await longestStop(async () => {
    const start = performance.now();
    const sessions = await writer.store.sessions(folder.chatbots[1]!);
    ms = performance.now() - start;
    assert.equal(sessions.length, folder.sessions.length / folder.chatbots.length);
  });
  const measure = `list of the ${folder.sessions.length / folder.chatbots.length} sessions of a chatbot`;
  return [
    { measure, ms, floor_ms: '', ratio: '', goal: '-' },
    row('longest stop of the event loop meanwhile (floor: idle)', stop, least, '<= 50 ms'),
  ];
}

/** In ms. */
async function longestStop(act: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await act();
  delay.disable();
  return delay.max / 1e6 - 1;
}

function startTime(folder: Folder): Row[] {
  const opening = `await (await import(${JSON.stringify(import.meta.url)})).openOnce(${JSON.stringify(folder.dir)})`;
  const taken = { empty: [] as number[], opening: [] as number[] };
  for (let round = 0; round < 9; round++) {
    taken.empty.push(timeOfNode(''));
    taken.opening.push(timeOfNode(opening));
  }
  const name = `start with ${folder.sessions.length} sessions, ${folder.sessions.length * MESSAGES} messages (floor: node)`;
  return [row(name, median(taken.opening), median(taken.empty), '<= 6')];
}

function timeOfNode(script: string): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return performance.now() - start;
}
