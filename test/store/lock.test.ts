import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { otherClaims, newClaim, takeAway, lastBeat } from '../../server/store/claims.ts';
import { hostName } from '../../server/store/host.ts';
import { FolderInUse, FolderLost, lockFolder, type LockOptions } from '../../server/store/lock.ts';
import { faultyDisk } from './faulty-disk.ts';

/** A folder that several machines have mounted: claims of others are files that nobody here listens on. */
describe('the lock of a data folder on a network', () => {
  let dir: string;
  let locks: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'docent-lock-'));
    locks = join(dir, 'lock');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await rm(dir, { recursive: true, force: true });
  });

  const CLAIM = 'abc-17-0123abcd-ffffffff-beat';
  async function theirs(host = 'web-2', name = CLAIM): Promise<string> {
    await mkdir(join(locks, host), { recursive: true });
    await writeFile(join(locks, host, name), '');
    return join(locks, host, name);
  }
  const claims = async (): Promise<string[]> => {
    const entries = await readdir(locks, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  };
  /** Sleeps without waiting; `during` acts in the n-th sleep. */
  function sleeper(during: (count: number) => Promise<unknown> = async () => {}) {
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      await during(slept.length);
    };
    return { sleep, total: () => slept.reduce((sum, ms) => sum + ms, 0) };
  }
  const log = () => {
    const told: string[] = [];
    return { told, warn: (_: object, sentence: string) => void told.push(sentence) };
  };

  it('is taken over from another machine whose claim was not renewed for 20 s, and says why it waits', async () => {
    await theirs();
    const [{ sleep, total }, { told, warn }] = [sleeper(), log()];
    const lock = await lockFolder(dir, { sleep, log: { warn } });
    expect(total()).toBe(20_000);
    expect(told).toEqual([
      `process 17 of the host web-2 claims the data folder ${dir}: waiting 20 s to see whether it still runs`,
    ]);
    expect(await claims()).toHaveLength(1);
    expect(await claims()).not.toContain(CLAIM);
    await lock.release();
    expect(await claims()).toEqual([]);
  });

  it('is refused while another machine renews its claim, however wrong its clock is', async () => {
    const path = await theirs();
    await utimes(path, 1, 1);
    const { sleep, total } = sleeper(async (count) => count === 19 && utimes(path, 6, 6));
    const refused = lockFolder(dir, { sleep });
    await expect(refused).rejects.toThrow(FolderInUse);
    await expect(refused).rejects.toThrow(
      `the data folder ${dir} is in use by process 17 of the host web-2: stop it there or use another folder`,
    );
    expect(total()).toBe(19_000);
    expect(await claims()).toEqual([CLAIM]);
  });

  it('is had at once when the other machine gives its claim back', async () => {
    const path = await theirs();
    const { sleep, total } = sleeper(async (count) => count === 2 && rm(path));
    await (await lockFolder(dir, { sleep })).release();
    expect(total()).toBe(2000);
  });

  it.runIf(process.platform === 'linux')('is watched for a machine of the same host name, too', async () => {
    const path = await theirs(hostName());
    const { sleep } = sleeper(() => utimes(path, 6, 6));
    await expect(lockFolder(dir, { sleep })).rejects.toThrow(`process 17 of the host ${hostName()}`);
  });

  it('puts a claim back that was renewed while it was being taken away', async () => {
    const path = await theirs();
    const [claim] = otherClaims(locks, newClaim(locks));
    const beat = lastBeat(claim!)!;
    await utimes(path, 6, 6);
    expect(takeAway(claim!, beat)).toBe(false);
    expect(await claims()).toEqual([CLAIM]);
    expect(takeAway(claim!, lastBeat(claim!)!)).toBe(true);
    expect(await claims()).toEqual([]);
  });

  it('is renewed every five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    const lock = await lockFolder(dir);
    const path = join(locks, hostName(), (await claims())[0]!);
    for (let beats = 0; beats < 3; beats++) {
      const before = (await stat(path)).mtimeMs;
      await vi.advanceTimersByTimeAsync(5000);
      await vi.waitFor(async () => expect((await stat(path)).mtimeMs - before).toBeCloseTo(5000, -1));
    }
    await lock.release();
  });

  describe('writes of a holder that was suspended', () => {
    async function held(options: LockOptions = {}) {
      let now = 1e12;
      const lost = vi.fn<(error: FolderLost) => void>();
      const lock = await lockFolder(dir, { now: () => now, lost, ...options });
      const disk = faultyDisk();
      const guarded = lock.guard(disk);
      const file = await guarded.open(join(dir, 'file'), 'w');
      return { lock, lost, disk, guarded, file, suspend: (ms: number) => (now += ms) };
    }
    const bytes = Buffer.from('text');

    it('are refused once another process has taken the folder', async () => {
      const { lock, lost, disk, guarded, file, suspend } = await held();
      await guarded.write(file, bytes, 0);
      await rm(join(locks, hostName(), (await claims())[0]!));
      suspend(20_000);
      await expect(guarded.write(file, bytes, 4)).rejects.toThrow(FolderLost);
      await expect(guarded.rename(join(dir, 'file'), join(dir, 'other'))).rejects.toThrow(dir);
      await expect(guarded.unlink(join(dir, 'file'))).rejects.toThrow(FolderLost);
      await expect(guarded.truncate(file, 0)).rejects.toThrow(FolderLost);
      expect([disk.count('write'), disk.count('rename'), disk.count('unlink'), disk.count('truncate')]).toEqual([
        1, 0, 0, 0,
      ]);
      expect(lost).toHaveBeenCalledOnce();
      await guarded.close(file);
      await lock.release();
    });

    it('go on where nobody has taken it, and the claim is renewed first', async () => {
      const { lock, lost, guarded, file, suspend } = await held();
      const path = join(locks, hostName(), (await claims())[0]!);
      const before = (await stat(path)).mtimeMs;
      for (const ms of [60_000, -90_000]) {
        suspend(ms);
        await guarded.write(file, bytes, 0);
        expect((await stat(path)).mtimeMs - before).toBe(ms === 60_000 ? 60_000 : -30_000);
      }
      expect(lost).not.toHaveBeenCalled();
      await guarded.close(file);
      await lock.release();
    });
  });
});
