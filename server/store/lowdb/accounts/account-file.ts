import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { asRefusal } from '../../../schema/errors.ts';
import { newUuid, timestamp, type Clock } from '../../../schema/ids.ts';
import type { Disk } from '../files/disk.ts';
import { isObject } from '../../../schema/validate.ts';
import { readJsonFile } from '../files/json-file.ts';
import { list, mapOf, number, record, text, uuid } from '../../record-checks.ts';
import { isChallenge, isKey, isLoginLink, isPasskey, isSignIn, isUser } from '../../shared/account-checks.ts';
import { StoredRecord } from '../files/record.ts';
import type {
  Challenge,
  OwnerAccount,
  StoredKey,
  StoredLoginLink,
  StoredPasskey,
  StoredSignIn,
  User,
} from '../../store.ts';

/** `store.json`: the records of which a data folder has one. */
export interface Accounts {
  format: 1;
  /** How often the folder has been opened. */
  life: number;
  home: { user: string; secret: string };
  users: User[];
  keys: StoredKey[];
  facts: Record<string, string>;
  /** Absent in folders of versions without a console. */
  login_links?: StoredLoginLink[];
  sign_ins?: StoredSignIn[];
  /** Absent before the first passkey. */
  passkeys?: StoredPasskey[];
  used_challenges?: Challenge[];
}

export interface OpenAccounts {
  record: StoredRecord<Accounts>;
  /** Numbers in order of creation. Throws the disk's error until the generation is stored. */
  nextOrder(): number;
  /** Stores the generation; undefined where opening has done that. */
  storeGeneration: (() => Promise<void>) | undefined;
}

/**
 * Starts the next generation of the data folder, or creates it. A full disk does not prevent reading it. Throws where the
 * folder holds records but no account file: a new owner would have no access to them. `holdsRecords`: whether it holds any.
 */
export async function openAccounts(
  disk: Disk,
  path: string,
  clock: Clock,
  holdsRecords: () => boolean,
): Promise<OpenAccounts> {
  if (!existsSync(path)) {
    if (holdsRecords()) throw new Error(`${path} is missing, but ${dirname(path)} holds chatbots: ${ACCOUNTS_REMEDY}`);
    const record = await StoredRecord.create(disk, path, newAccounts(clock));
    return { record, nextOrder: orderNumbers(record.stored.life), storeGeneration: undefined };
  }
  const stored = readAccounts(path);
  const keys = stored.keys.map(withKeyDefaults);
  const generation = stored.life + 1;
  const next = orderNumbers(generation);
  const record = new StoredRecord(disk, path, { ...stored, keys, ...readableSignIns(stored) });
  let fault: unknown;
  const storeGeneration = async () => {
    await record.update((root) => ({ ...root, life: generation }));
    fault = undefined;
  };
  await storeGeneration().catch((error: unknown) => {
    if (!asRefusal(error)) throw error;
    fault = error;
  });
  const nextOrder = () => {
    if (fault !== undefined) throw fault;
    return next();
  };
  return { record, nextOrder, storeGeneration: fault === undefined ? undefined : storeGeneration };
}

const ACCOUNTS_REMEDY = 'put the file back from a backup, or set DATA_DIR to another folder for a new start';

export function readAccounts(path: string): Accounts {
  const value = readJsonFile(path, isObject);
  if (!value) throw new Error(`${path} is damaged: it holds no JSON object; ${ACCOUNTS_REMEDY}`);
  const { format } = value;
  if (typeof format !== 'number' || format < 1)
    throw new Error(
      `${path} is damaged: it has no format number (format ${JSON.stringify(format)}); ${ACCOUNTS_REMEDY}`,
    );
  if (format !== FORMAT_VERSION)
    throw new Error(
      `${path} was written by a newer version of docent (format ${format}): install that version, or restore a backup that was made before`,
    );
  if (!isAccounts(value))
    throw new Error(`${path} is damaged: its owner, users, keys or facts cannot be read; ${ACCOUNTS_REMEDY}`);
  return value;
}

const FORMAT_VERSION = 1;

const hasFields = record<Accounts>({
  format: number,
  life: number,
  home: record({ user: uuid, secret: text }),
  users: list(isUser),
  keys: list(isKey),
  facts: mapOf(text),
  // What cannot be read of these is left out: whoever it signed in does so again.
  login_links: () => true,
  sign_ins: () => true,
  passkeys: () => true,
  used_challenges: () => true,
});

const isAccounts = (value: unknown): value is Accounts =>
  hasFields(value) && (value as Accounts).users.some(({ uuid: own }) => own === (value as Accounts).home.user);

/** Keys of older files have no hint and no date of use. */
const withKeyDefaults = (key: StoredKey): StoredKey => ({
  ...key,
  hint: key.hint ?? '',
  last_used_at: key.last_used_at ?? '',
});

function readableSignIns(stored: Accounts): Partial<Accounts> {
  const { login_links: links, sign_ins: signIns, passkeys, used_challenges: challenges } = stored;
  return {
    ...(links && { login_links: readable(links, isLoginLink) }),
    // Those of versions without passkeys name none.
    ...(signIns && { sign_ins: readable(signIns, isSignIn).map((one) => ({ ...one, passkey: one.passkey ?? '' })) }),
    ...(passkeys && { passkeys: readable(passkeys, isPasskey) }),
    ...(challenges && { used_challenges: readable(challenges, isChallenge) }),
  };
}

const readable = <T>(value: T[], isWhole: (one: unknown) => boolean): T[] =>
  Array.isArray(value) ? value.filter(isWhole) : [];

function newAccounts(clock: Clock): Accounts {
  const user = { uuid: newUuid(), email: 'owner@localhost', created_at: timestamp(clock) };
  return accountsOf({ user, secret: randomBytes(32).toString('hex') });
}

/** Of a new data folder of this owner. */
export const accountsOf = ({ user, secret }: OwnerAccount): Accounts => ({
  format: 1,
  life: 1,
  home: { user: user.uuid, secret },
  users: [user],
  keys: [],
  facts: {},
});

export function ownerAccountOf({ home, users }: Accounts): OwnerAccount {
  return { user: { ...users.find((user) => user.uuid === home.user)! }, secret: home.secret };
}

/** Finds by the first eight digits, then compares in constant time, so that timing reveals nothing of a secret. */
export function findByHash<T extends { hash: string }>(secrets: readonly T[], hash: string): T | undefined {
  const start = hash.slice(0, 8);
  const isSame = (other: string): boolean =>
    other.length === hash.length && timingSafeEqual(Buffer.from(other), Buffer.from(hash));
  return secrets.find((one) => one.hash.startsWith(start) && isSame(one.hash));
}

/** Numbers in order of creation, across generations: 2^32 for each of 2^21 generations fit a double. */
function orderNumbers(generation: number): () => number {
  let count = 0;
  return () => generation * 2 ** 32 + count++;
}
