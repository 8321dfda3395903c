import type { Context } from 'koa';
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { retry } from '../../async/retry.ts';
import { invalid, Refusal } from '../../schema/errors.ts';
import { type Clock, timestamp } from '../../schema/ids.ts';
import { KeyedMutex } from '../../async/keyed-mutex.ts';
import type { Store, StoredReply, User } from '../../store/store.ts';
import type { Logger } from 'pino';
import { NewRecord } from './new-record.ts';
import { WARNINGS } from './warnings.ts';

/** `Idempotency-Key`: a repeated create gets the stored reply and creates nothing. */

const HEADER = 'Idempotency-Key';

/** The header in the OpenAPI document. */
export const KEY_PARAMETER = {
  name: HEADER,
  in: 'header',
  description:
    'A value of your own, new for each create. For 24 hours the same request with the same key gets the reply of the first one and creates nothing; a different request with the same key is 422.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** Milliseconds between two looks whether another process has ended a request with the same key, and how long it is waited for. */
const [LOOK_MS, MAX_WAIT_MS] = [50, 60_000];
/** Milliseconds between attempts to keep a reply, and to say that nothing more comes, while the store is away: half an hour. */
const KEEP_DELAYS = Array<number>(900).fill(2000);

/**
 * Runs `act` once for each user, key and request: the same `operation`, `uuids` of its path, and `request`. Where a process ends
 * before it has kept the reply, it runs again, for the same record.
 */
export type RunOnce = (
  call: { user: User; ctx: Context; operation: string; uuids: string[] },
  request: unknown,
  act: (record: NewRecord) => Promise<unknown>,
) => Promise<unknown>;

export function createRunOnce({ store, clock, log }: { store: Store; clock: Clock; log: Logger }): RunOnce {
  const mutex = new KeyedMutex();
  /** By key: replies that the store could not take yet. */
  const unsaved = new Map<string, Promise<void>>();
  const isAway = (error: unknown): boolean => error instanceof Refusal;

  /** Where other processes wait for the reply, it is saved when the store is back. */
  async function keep(reply: StoredReply): Promise<void> {
    try {
      await store.saveReply(reply);
    } catch (error) {
      if (store.replyClaims && isAway(error))
        unsaved.set(
          reply.key,
          retry(() => store.saveReply(reply), isAway, KEEP_DELAYS, { isBackground: true }),
        );
      throw error;
    }
  }

  function release(key: string): void {
    const saved = unsaved.get(key) ?? Promise.resolve();
    unsaved.delete(key);
    const act = () => store.replyClaims!.release(key);
    const released = saved.catch(() => {}).then(() => retry(act, isAway, KEEP_DELAYS, { isBackground: true }));
    released.catch((error: unknown) => log.warn({ err: error }, 'an idempotency key is not released'));
  }

  const digest = (...parts: string[]): Buffer =>
    createHmac('sha256', store.owner.secret).update(JSON.stringify(parts)).digest();

  return ({ user, ctx, operation, uuids }, request, act) => {
    const key = readKey(ctx);
    if (key === undefined) return act(new NewRecord(clock));
    ctx.state['isRepeatable'] = true;
    const name = digest('reply', user.uuid, key).toString('hex');
    const requestDigest = digest('request', operation, ...uuids, JSON.stringify(request) ?? '').toString('hex');
    const uuid = digest('record', user.uuid, key, requestDigest).toString('hex').slice(0, 32);
    const cipherKey = digest('seal', user.uuid, key);

    const readKnown = async (): Promise<Buffer | undefined> => {
      const known = await store.reply(name);
      if (known && known.request !== requestDigest) {
        throw invalid(HEADER, 'the idempotency key was sent with another request before: use a new one');
      }
      const first = known && decrypt(known.body, cipherKey);
      if (known && !first) log.warn({ req: ctx.state['id'] }, 'a kept reply is damaged; the request is answered anew');
      if (!known || !first) return undefined;
      ctx.status = known.status;
      const warnings = known.warnings && decrypt(known.warnings, cipherKey)?.toString();
      if (warnings) ctx.set(WARNINGS, warnings);
      return first;
    };

    const actAndKeep = async (): Promise<unknown> => {
      const reply = await act(new NewRecord(clock, uuid));
      const status = ctx.status === 409 ? 409 : 200;
      const body = encrypt(JSON.stringify(reply), cipherKey);
      const warned = ctx.response.get(WARNINGS);
      const warnings = warned && { warnings: encrypt(warned, cipherKey) };
      // The record exists by now: a reply that cannot be stored must not fail the request.
      await keep({ key: name, request: requestDigest, status, body, ...warnings, created_at: timestamp(clock) }).catch(
        (error: unknown) => log.warn({ req: ctx.state['id'], err: error }, 'a reply could not be kept'),
      );
      return reply;
    };

    // Concurrent requests with one key: the second finds the reply that the first has stored.
    return mutex.run(name, async () => {
      const { replyClaims } = store;
      if (!replyClaims) return (await readKnown()) ?? actAndKeep();
      for (const end = performance.now() + MAX_WAIT_MS; ; await wait(LOOK_MS)) {
        const known = await readKnown();
        if (known) return known;
        if (await replyClaims.claim(name)) break;
        if (performance.now() > end)
          throw new Refusal('unavailable', 'a request with this idempotency key is being answered; try again', {
            retryAfter: 5,
          });
      }
      try {
        // Another process may have saved it before its claim ended.
        return (await readKnown()) ?? (await actAndKeep());
      } finally {
        release(name);
      }
    });
  };
}

function readKey(ctx: Context): string | undefined {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) {
    throw invalid(HEADER, 'the idempotency key must be 1 to 255 visible ASCII characters');
  }
  return key;
}

const CIPHER = 'aes-256-gcm';
const [IV, TAG] = [12, 16];

/** Encrypted with a key derived from the Idempotency-Key, since a reply may hold secrets such as a tool function's headers. */
function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV);
  const cipher = createCipheriv(CIPHER, key, iv);
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64');
}

/** Undefined where the text does not authenticate: the file was damaged. */
function decrypt(text: string, key: Buffer): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length < IV + TAG) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV));
    decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
    return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}
