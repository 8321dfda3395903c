import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../server/schema/ids.ts';
import type { Store, StoredChatbot, StoredReply, StoredSession, Usage } from '../../server/store/store.ts';
import { aChatbot, aDocument, aMessage, anAgent, aSession, aSource } from './records.ts';

/** A data folder, or the like, on which stores are opened one after another. */
export interface StoreFixture {
  open(): Promise<Store>;
  /** Leaves nothing behind. */
  clear(): Promise<void>;
}

/** Whether exactly one of deletions of the same record that are made at once resolves with true; which one is open. */
export async function oneOf(deleting: Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(deleting)).filter(Boolean).length === 1;
}

/** What every engine must do. `createFixture` makes an empty one. */
export function storeContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: the store's contract`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });
    const reopen = async () => {
      await store.close();
      store = await fixture.open();
    };
    const withChatbot = async (more: Partial<StoredChatbot> = {}) => {
      const chatbot = aChatbot(store.owner.user.uuid, more);
      await store.createChatbot(chatbot, [anAgent(chatbot.uuid)]);
      return chatbot;
    };

    describe('a session', () => {
      it('is as modified as its last message, in the list too, whatever is deleted and over restarts', async () => {
        const { uuid } = await withChatbot();
        const at = (second: number) => `2026-01-02T03:05:0${second}Z`;
        const variables = { modified_at: '2030-01-01T00:00:00Z' };
        const [talked, silent] = [aSession(uuid), aSession(uuid, { initial_variables: variables })];
        const modified = async (time: string) => {
          for (const again of [false, true]) {
            if (again) await reopen();
            const expected = [{ ...talked, modified_at: time }, silent];
            expect(await store.sessions(uuid)).toEqual(expected);
            expect(await Promise.all([store.session(talked.uuid), store.session(silent.uuid)])).toEqual(expected);
            expect(await store.sessions(uuid)).toEqual(expected);
          }
        };
        const question = aMessage(talked.uuid, { modified_at: at(1), finish_reason: '' });
        await store.saveMessage(question, talked);
        await store.createSession(silent);
        await modified(at(1));
        await store.saveMessage({ ...question, modified_at: at(2), finish_reason: 'stop' });
        const feedback_json = JSON.stringify({ comment: '"modified_at":"2040-01-01T00:00:00Z"' });
        const long = aMessage(talked.uuid, { modified_at: at(3), response: 'x'.repeat(9000), feedback_json });
        await store.saveMessage(long);
        await modified(at(3));
        const labelled = { ...long, modified_at: at(4), labels: [{ name: 'l'.repeat(9000), color: '#000000' }] };
        await store.saveMessage(labelled);
        await modified(at(4));
        expect(await store.updateSession(talked.uuid, (one) => one)).toMatchObject({ modified_at: at(4) });
        expect(await store.deleteMessage(long.uuid)).toBe(true);
        await modified(at(4));
        await store.saveMessage(aMessage(talked.uuid, { modified_at: at(5) }));
        await modified(at(5));
      });
    });

    describe('the owner, keys and facts', () => {
      it('has one user and one secret, the same after every restart', async () => {
        const { user, secret } = store.owner;
        expect(user.email).toBe('owner@localhost');
        expect(user.uuid).toMatch(/^[0-9a-f]{32}$/);
        expect(user.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(secret).toMatch(/^[0-9a-f]{64}$/);
        await reopen();
        expect(store.owner).toEqual({ user, secret });
      });

      it('finds the owner of a key by its hash, and none for another hash', async () => {
        const key = {
          hash: 'a'.repeat(64),
          user: store.owner.user.uuid,
          name: 'first',
          hint: 'dk_abcd',
          created_at: '2026-01-01T00:00:00Z',
          last_used_at: '',
        };
        await store.addKey(key);
        await reopen();
        expect(await store.keyOwner(key.hash)).toEqual(store.owner.user);
        expect(await store.keyOwner('b'.repeat(64))).toBeUndefined();
        expect(await store.keys()).toEqual([key]);
      });

      it('adds one first key of those that are added at once, and none where there is one', async () => {
        const dated = { created_at: '2026-01-01T00:00:00Z', last_used_at: '' };
        const keyOf = (digit: string) => ({
          ...dated,
          hash: digit.repeat(64),
          user: store.owner.user.uuid,
          name: digit,
          hint: 'dk_abcd',
        });
        const added = await Promise.all(['a', 'b', 'c'].map((digit) => store.addFirstKey(keyOf(digit))));
        expect(added.toSorted()).toEqual([false, false, true]);
        expect(await store.keys()).toEqual([keyOf('abc'[added.indexOf(true)]!)]);
        await reopen();
        expect(await store.addFirstKey(keyOf('d'))).toBe(false);
        expect(await store.keys()).toHaveLength(1);
      });

      it('keeps the fact that was claimed first', async () => {
        const names = ['demo', '__proto__'];
        for (const name of names) {
          const [one, other] = await Promise.all(['a', 'b'].map((value) => store.claimFact(name, value)));
          expect(one).toBe(other);
          await reopen();
          expect(await store.fact(name)).toBe(one);
          expect(await store.claimFact(name, 'c')).toBe(one);
        }
      });

      it('keeps facts, whatever their names are', async () => {
        for (const name of ['demo', '__proto__', 'constructor']) {
          expect(await store.fact(name)).toBeUndefined();
          await store.setFact(name, `value of ${name}`);
        }
        await store.setFact('demo', 'newer');
        await reopen();
        expect(await store.fact('demo')).toBe('newer');
        expect(await store.fact('__proto__')).toBe('value of __proto__');
        expect(await store.fact('constructor')).toBe('value of constructor');
      });
    });

    describe('chatbots', () => {
      it('come back with their agents as they were stored', async () => {
        const chatbot = aChatbot(store.owner.user.uuid, { name: 'Ünï – 🛒\n"quoted" \u2028' });
        const agents = [anAgent(chatbot.uuid, { name: 'one' }), anAgent(chatbot.uuid, { name: 'two', enabled: 0 })];
        await store.createChatbot(chatbot, agents);
        await reopen();
        expect(await store.chatbot(chatbot.uuid)).toEqual(chatbot);
        expect(await store.agents(chatbot.uuid)).toEqual(agents);
      });

      it('are unknown under another uuid', async () => {
        expect(await store.chatbot(newUuid())).toBeUndefined();
        expect(await store.agents(newUuid())).toEqual([]);
        expect(await store.updateChatbot(newUuid(), (one) => one)).toBeUndefined();
        expect(await store.deleteChatbot(newUuid())).toBe(false);
      });

      it('are listed for their owner in order of creation, whatever their timestamps say', async () => {
        const made: string[] = [];
        for (const year of [2030, 2020, 2025, 2021]) {
          made.push((await withChatbot({ created_at: `${year}-01-01T00:00:00Z` })).uuid);
        }
        await withChatbot({ owner: newUuid() });
        await reopen();
        made.push((await withChatbot()).uuid);
        expect((await store.chatbots(store.owner.user.uuid)).map(({ uuid }) => uuid)).toEqual(made);
      });

      it('are created once: a second create of the same uuid stores nothing', async () => {
        const chatbot = aChatbot(store.owner.user.uuid);
        const names = ['first', 'second', 'third'];
        await Promise.all(names.map((name) => store.createChatbot({ ...chatbot, name }, [])));
        await reopen();
        expect(await store.chatbots(chatbot.owner)).toEqual([{ ...chatbot, name: 'first' }]);
      });

      it('lose none of a hundred changes made at once', async () => {
        const { uuid } = await withChatbot({ name: '' });
        const changes = Array.from({ length: 100 }, (_, i) =>
          store.updateChatbot(uuid, (one) => ({ ...one, name: `${one.name}${i},` })),
        );
        const results = await Promise.all(changes);
        expect(results[2]?.name).toBe('0,1,2,');
        await reopen();
        const name = (await store.chatbot(uuid))?.name;
        expect(name).toBe(Array.from({ length: 100 }, (_, i) => `${i},`).join(''));
      });

      it('stay unchanged where a change throws, and only its caller gets the error', async () => {
        const { uuid } = await withChatbot({ name: 'a' });
        const throwing = store.updateChatbot(uuid, (one) => {
          one.name = 'half done';
          throw new Error('no');
        });
        const other = store.updateChatbot(uuid, (one) => ({ ...one, name: `${one.name}b` }));
        await expect(throwing).rejects.toThrow('no');
        expect((await other)?.name).toBe('ab');
        expect((await store.chatbot(uuid))?.name).toBe('ab');
      });

      it('are not changed by changing what was handed in or out', async () => {
        const chatbot = aChatbot(store.owner.user.uuid);
        const creating = store.createChatbot(chatbot, []);
        chatbot.meta.rate_limit[0] = 99;
        await creating;
        const read = (await store.chatbot(chatbot.uuid))!;
        read.meta.rate_limit[0] = 98;
        const updated = (await store.updateChatbot(chatbot.uuid, (one) => one))!;
        updated.meta.rate_limit[0] = 97;
        (await store.chatbots(chatbot.owner))[0]!.meta.rate_limit[0] = 96;
        expect((await store.chatbot(chatbot.uuid))?.meta.rate_limit).toEqual([20, 240]);
      });

      it('take everything with them when they are deleted, and leave other chatbots alone', async () => {
        const [gone, kept] = [await withChatbot(), await withChatbot()];
        const parts = async (chatbot: StoredChatbot) => {
          const [source, session] = [aSource(chatbot.uuid), aSession(chatbot.uuid)];
          await store.createSource(source);
          await store.putDocument(source.uuid, aDocument('text'));
          const message = aMessage(session.uuid);
          await store.saveMessage(message, session);
          return { source, session, message };
        };
        const [old, other] = [await parts(gone), await parts(kept)];
        expect(await store.deleteChatbot(gone.uuid)).toBe(true);
        expect(await store.deleteChatbot(gone.uuid)).toBe(false);
        for (const again of [false, true]) {
          if (again) await reopen();
          expect(await store.chatbot(gone.uuid)).toBeUndefined();
          expect(await store.agents(gone.uuid)).toEqual([]);
          expect(await store.source(old.source.uuid)).toBeUndefined();
          expect(await store.document(old.source.uuid)).toBeUndefined();
          expect(await store.session(old.session.uuid)).toBeUndefined();
          expect(await store.message(old.message.uuid)).toBeUndefined();
          expect(await store.messages(old.session.uuid)).toEqual([]);
          expect(await store.sessions(gone.uuid)).toEqual([]);
          expect(await store.sources(gone.uuid)).toEqual([]);
          expect(await store.sourceCount(gone.uuid)).toBe(0);
          expect(await store.sourceCount(kept.uuid)).toBe(1);
          expect(await store.sources(kept.uuid)).toEqual([other.source]);
          expect(await store.messages(other.session.uuid)).toEqual([other.message]);
        }
      });

      it('can be deleted while everything under them is being written', async () => {
        const chatbot = await withChatbot();
        const [source, session] = [aSource(chatbot.uuid), aSession(chatbot.uuid)];
        await store.createSource(source);
        await store.createSession(session);
        const busy = Array.from({ length: 20 }, (_, i) => [
          store.saveMessage(aMessage(session.uuid)),
          store.createSession(aSession(chatbot.uuid)),
          store.createSource(aSource(chatbot.uuid)),
          store.updateSource(source.uuid, (one) => ({ ...one, title: String(i) })),
          store.putDocument(source.uuid, aDocument('text')),
          store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: String(i) })),
        ]).flat();
        const deleted = store.deleteChatbot(chatbot.uuid);
        const late = store.saveMessage(aMessage(session.uuid));
        await Promise.all(busy);
        expect(await deleted).toBe(true);
        expect(await late).toBe(false);
        expect(await store.sessions(chatbot.uuid)).toEqual([]);
        expect(await store.sources(chatbot.uuid)).toEqual([]);
        await reopen();
        expect(await store.sessions(chatbot.uuid)).toEqual([]);
        expect(await store.sources(chatbot.uuid)).toEqual([]);
      });
    });

    describe('sources', () => {
      it('are listed in order of creation and come back as they were stored', async () => {
        const { uuid } = await withChatbot();
        const sources = [aSource(uuid), aSource(uuid), aSource(uuid)];
        for (const source of sources) expect(await store.createSource(source)).toEqual({ existing: undefined });
        await reopen();
        expect(await store.sources(uuid)).toEqual(sources);
        expect(await store.source(sources[1]!.uuid)).toEqual(sources[1]);
      });

      it('exist once for an identity within a chatbot, however many are made at once', async () => {
        const [one, two] = [await withChatbot(), await withChatbot()];
        const identity = 'https://shop.example/returns';
        const made = await Promise.all(
          Array.from({ length: 8 }, () => store.createSource(aSource(one.uuid, { identity }))),
        );
        const [stored] = await store.sources(one.uuid);
        expect(made.map((result) => result?.existing?.uuid)).toEqual([undefined, ...Array(7).fill(stored?.uuid)]);
        expect(await store.sources(one.uuid)).toHaveLength(1);
        expect(await store.createSource(aSource(two.uuid, { identity }))).toEqual({ existing: undefined });
        await store.deleteSource(stored!.uuid);
        expect(await store.createSource(aSource(one.uuid, { identity }))).toEqual({ existing: undefined });
      });

      it('need a chatbot, and their documents need them', async () => {
        expect(await store.createSource(aSource(newUuid()))).toBeUndefined();
        expect(await store.putDocument(newUuid(), aDocument('text'))).toBe(false);
        expect(await store.updateSource(newUuid(), (one) => one)).toBeUndefined();
        expect(await store.deleteSource(newUuid())).toBe(false);
        expect(await store.document(newUuid())).toBeUndefined();
      });

      it('have a document that is replaced whole and goes with them', async () => {
        const { uuid } = await withChatbot();
        const source = aSource(uuid);
        await store.createSource(source);
        expect(await store.document(source.uuid)).toBeUndefined();
        expect(await store.putDocument(source.uuid, aDocument('a long first text'))).toBe(true);
        expect(await store.putDocument(source.uuid, aDocument('second'))).toBe(true);
        await reopen();
        expect(await store.document(source.uuid)).toEqual(aDocument('second'));
        expect(await store.deleteSource(source.uuid)).toBe(true);
        expect(await store.document(source.uuid)).toBeUndefined();
        expect(await store.source(source.uuid)).toBeUndefined();
        expect(await store.putDocument(source.uuid, aDocument('late'))).toBe(false);
      });

      it('have vectors that go with their document, and are told from those that have none', async () => {
        const { uuid } = await withChatbot();
        const [source, other, failed] = [aSource(uuid), aSource(uuid), aSource(uuid, { status: 'fail' })];
        for (const one of [source, other, failed]) await store.createSource(one);
        for (const one of [source, other]) {
          await store.updateSource(one.uuid, (record) => ({ ...record, status: 'success' }));
        }
        const unembedded = async (model: string) => (await store.unembeddedSources(model)).map((one) => one.uuid);
        const vectors = { model: 'small', dimensions: 3, rows: Int8Array.of(-128, 0, 127, 1, 2, -3) };
        await store.putDocument(source.uuid, aDocument('text'));
        expect(await store.vectors(source.uuid)).toBeUndefined();
        expect(await store.putVectors(source.uuid, vectors)).toBe(true);
        expect(await store.putVectors(newUuid(), vectors)).toBe(false);
        for (const again of [false, true]) {
          if (again) await reopen();
          expect(await store.vectors(source.uuid)).toEqual(vectors);
          expect(await store.document(source.uuid)).toEqual(aDocument('text'));
          expect((await store.source(source.uuid))?.embedded_by).toBe('small');
          expect(await unembedded('small')).toEqual([other.uuid]);
          expect(await unembedded('large')).toEqual([source.uuid, other.uuid]);
        }
        await store.putDocument(source.uuid, aDocument('newer'));
        for (const again of [false, true]) {
          if (again) await reopen();
          expect(await store.vectors(source.uuid)).toBeUndefined();
          expect(await unembedded('small')).toEqual([source.uuid, other.uuid]);
        }
        await store.putVectors(source.uuid, { ...vectors, model: 'large' });
        await store.deleteSource(source.uuid);
        expect(await store.vectors(source.uuid)).toBeUndefined();
        expect(await store.putVectors(source.uuid, vectors)).toBe(false);
      });

      it('whose ingestion has not ended are listed after a restart', async () => {
        const { uuid } = await withChatbot();
        const statuses = ['await', 'chunking', 'success', 'embedding', 'fail', 'error:robots'];
        for (const status of statuses) {
          const source = aSource(uuid);
          await store.createSource(source);
          await store.updateSource(source.uuid, (one) => ({ ...one, status }));
        }
        await reopen();
        const unfinished = await store.unfinishedSources();
        expect(unfinished.map(({ status }) => status)).toEqual(['await', 'chunking', 'embedding']);
      });
    });

    describe('replies', () => {
      const now = Date.now();
      const at = (hours: number): string => `${new Date(now + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
      const aReply = (key: string, more: Partial<StoredReply> = {}): StoredReply => ({
        key: key.repeat(64),
        request: 'r'.repeat(64),
        status: 200,
        body: 'sealed',
        created_at: at(0),
        ...more,
      });

      it('are found by their keys for a day, over restarts', async () => {
        const replies = [aReply('a'), aReply('b', { status: 409, body: '' }), aReply('c', { created_at: at(-23) })];
        const old = aReply('d', { created_at: at(-25) });
        const older = aReply('e', { created_at: at(-60) });
        await Promise.all([old, older, ...replies].map((one) => store.saveReply(one)));
        for (const again of [false, true, true]) {
          if (again) await reopen();
          for (const one of replies) expect(await store.reply(one.key)).toEqual(one);
          for (const one of [old, older, aReply('f')]) expect(await store.reply(one.key)).toBeUndefined();
        }
        const last = aReply('g');
        await store.saveReply(last);
        await reopen();
        expect(await store.reply(last.key)).toEqual(last);
        expect(await store.reply(replies[0]!.key)).toEqual(replies[0]);
      });
    });

    describe('usage', () => {
      const ofDay = (day: string, more: Partial<Usage> = {}): Usage => ({
        owner: 'a'.repeat(32),
        chatbot: 'b'.repeat(32),
        day,
        model: '',
        messages: 1,
        credits: 3,
        tokens: 70,
        ...more,
      });

      it('is summed by chatbot, day and model, over restarts and months, for its owner alone', async () => {
        const [first, second, later] = ['2026-01-31', '2026-02-01', '2026-04-30'].map((day) => ofDay(day));
        const others = [ofDay('2026-02-01', { model: 'm' }), ofDay('2026-02-01', { chatbot: 'c'.repeat(32) })];
        const foreign = ofDay('2026-02-01', { owner: 'd'.repeat(32) });
        await Promise.all([first!, first!, second!, ...others, foreign, first!].map((one) => store.addUsage(one)));
        await store.addUsage(later!);
        for (const again of [false, true]) {
          if (again) await reopen();
          const sum = { ...first, messages: 3, credits: 9, tokens: 210 };
          expect(await store.usage('a'.repeat(32), '2026-01-31', '2026-04-30')).toEqual([
            sum,
            second,
            ...others,
            later,
          ]);
          expect(await store.usage('a'.repeat(32), '2026-02-01', '2026-04-29')).toEqual([second, ...others]);
          expect(await store.usage('d'.repeat(32), '2026-01-01', '2026-12-31')).toEqual([foreign]);
        }
        await store.addUsage(first!);
        expect(await store.usage('a'.repeat(32), '2026-01-01', '2026-01-31')).toEqual([
          { ...first, messages: 4, credits: 12, tokens: 280 },
        ]);
      });

      it('stays when the chatbot is deleted', async () => {
        const { uuid, owner } = await withChatbot();
        const usage = ofDay('2026-01-31', { owner, chatbot: uuid });
        await store.addUsage(usage);
        await store.deleteChatbot(uuid);
        expect(await store.usage(owner, '2026-01-01', '2026-01-31')).toEqual([usage]);
      });
    });

    describe('sessions and messages', () => {
      it('come back in order of creation, whatever their timestamps say', async () => {
        const { uuid } = await withChatbot();
        const sessions = [2030, 2020, 2025].map((year) => aSession(uuid, { created_at: `${year}-01-01T00:00:00Z` }));
        for (const session of sessions) expect(await store.createSession(session)).toBe(true);
        await reopen();
        sessions.push(aSession(uuid, { foreign: 'abc', created_at: '2019-01-01T00:00:00Z' }));
        sessions.push(...Array.from({ length: 20 }, () => aSession(uuid)));
        await Promise.all(sessions.slice(3).map((session) => store.createSession(session)));
        expect(await store.sessions(uuid)).toEqual(sessions);
        expect(await store.session(sessions[3]!.uuid)).toEqual(sessions[3]);
        expect(await store.sessions(newUuid())).toEqual([]);
      });

      it('come a few at a time too, from behind any of them, and stop where the chatbot is deleted', async () => {
        const [{ uuid }, other] = [await withChatbot(), await withChatbot()];
        const sessions = Array.from({ length: 150 }, () => aSession(uuid));
        for (const session of sessions.slice(0, 20)) await store.createSession(session);
        await reopen();
        await Promise.all(sessions.slice(20).map((session) => store.createSession(session)));
        const stranger = aSession(other.uuid);
        await store.createSession(stranger);
        const behind = async (after?: string, order?: 'newest') => {
          const all: StoredSession[] = [];
          for await (const some of (await store.sessionBatches(uuid, after, order))!) {
            expect(some.length).toBeLessThanOrEqual(100);
            all.push(...some);
          }
          return all;
        };
        expect(await behind()).toEqual(sessions);
        for (const at of [0, 19, 20, 148, 149]) {
          expect(await behind(sessions[at]!.uuid)).toEqual(sessions.slice(at + 1));
          expect(await behind(sessions[at]!.uuid, 'newest')).toEqual(sessions.slice(0, at).toReversed());
        }
        expect(await behind(undefined, 'newest')).toEqual(sessions.toReversed());
        for (const after of ['', newUuid(), stranger.uuid]) {
          expect(await store.sessionBatches(uuid, after)).toBeUndefined();
        }
        await store.deleteSession(sessions[3]!.uuid);
        expect(await store.sessionBatches(uuid, sessions[3]!.uuid)).toBeUndefined();
        expect(await store.sessionBatches(uuid, sessions[3]!.uuid, 'newest')).toBeUndefined();
        // One that is made meanwhile is newer than all that is still to come.
        const some = (await store.sessionBatches(uuid, undefined, 'newest'))!;
        const seenFirst: string[] = [];
        for await (const batch of some) {
          if (seenFirst.length === 0)
            await Promise.all([store.createSession(aSession(uuid)), store.deleteSession(sessions[0]!.uuid)]);
          seenFirst.push(...batch.map((one) => one.uuid));
        }
        const left = sessions.filter((_, at) => at !== 3 && at !== 0);
        expect(seenFirst).toEqual(left.map((one) => one.uuid).toReversed());

        let seen = 0;
        for await (const some of (await store.sessionBatches(uuid))!) {
          seen += some.length;
          await store.deleteChatbot(uuid);
        }
        expect(seen).toBeLessThan(149);
      });

      it('of a message, changes of the same moment run one after another and lose nothing', async () => {
        const session = aSession((await withChatbot()).uuid);
        const message = aMessage(session.uuid);
        await store.saveMessage(message, session);
        const add = (name: string) =>
          store.updateMessage(message.uuid, (one) => ({ ...one, labels: [...one.labels, { name, color: '#000000' }] }));
        const names = Array.from({ length: 10 }, (_, i) => `label ${i}`);
        const changed = await Promise.all([...names.map(add), store.saveMessage(aMessage(session.uuid))]);
        expect(changed[9]).toMatchObject({ uuid: message.uuid, labels: names.map((name) => ({ name })) });
        const fails = store.updateMessage(message.uuid, () => {
          throw new Error('refused');
        });
        await expect(fails).rejects.toThrow('refused');
        await reopen();
        expect((await store.message(message.uuid))?.labels.map(({ name }) => name)).toEqual(names);
        expect(await store.deleteMessage(message.uuid)).toBe(true);
        expect(await store.updateMessage(message.uuid, (one) => one)).toBeUndefined();
        expect(await store.updateMessage(newUuid(), (one) => one)).toBeUndefined();
      });

      it('need their chatbot, and messages need their session', async () => {
        const orphan = aSession(newUuid());
        expect(await store.createSession(orphan)).toBe(false);
        expect(await store.saveMessage(aMessage(orphan.uuid), orphan)).toBe(false);
        expect(await store.saveMessage(aMessage(newUuid()))).toBe(false);
        expect(await store.session(orphan.uuid)).toBeUndefined();
        expect(await store.messages(orphan.uuid)).toEqual([]);
        expect(await store.updateSession(orphan.uuid, (one) => one)).toBeUndefined();
        expect(await store.deleteSession(orphan.uuid)).toBe(false);
      });

      it('are stored together where the session is new, and the session once', async () => {
        const { uuid } = await withChatbot();
        const session = aSession(uuid);
        const messages = [aMessage(session.uuid), aMessage(session.uuid)];
        await Promise.all(messages.map((message) => store.saveMessage(message, session)));
        await reopen();
        expect(await store.session(session.uuid)).toEqual(session);
        expect(await store.sessions(uuid)).toEqual([session]);
        expect(await store.messages(session.uuid)).toEqual(messages);
      });

      it('keep the newest version of each message in the place of its first', async () => {
        const session = aSession((await withChatbot()).uuid);
        const [first, second] = [aMessage(session.uuid, { finish_reason: '' }), aMessage(session.uuid)];
        await store.saveMessage(first, session);
        await store.saveMessage(second);
        const newer = { ...first, response: 'line one\nline two \u2028 "🛒" \ud800', finish_reason: 'stop' as const };
        await store.saveMessage(newer);
        expect(await store.messages(session.uuid)).toEqual([newer, second]);
        await reopen();
        expect(await store.messages(session.uuid)).toEqual([newer, second]);
        expect(await store.message(first.uuid)).toEqual(newer);
        expect(await store.message(newUuid())).toBeUndefined();
      });

      it('store what a message was when it was handed in', async () => {
        const session = aSession((await withChatbot()).uuid);
        const message = aMessage(session.uuid, { response: 'then' });
        const saving = store.saveMessage(message, session);
        message.response = 'now';
        session.created_at = 'changed';
        await saving;
        (await store.messages(session.uuid))[0]!.response = 'changed';
        expect((await store.message(message.uuid))?.response).toBe('then');
        expect((await store.session(session.uuid))?.created_at).not.toBe('changed');
      });

      it('come back unfinished before a restart, interrupted after it', async () => {
        const session = aSession((await withChatbot()).uuid);
        const open = aMessage(session.uuid, { finish_reason: '', response: '' });
        const done = aMessage(session.uuid);
        await store.saveMessage(open, session);
        await store.saveMessage({ ...done, finish_reason: '' });
        await store.saveMessage(done);
        expect((await store.messages(session.uuid)).map((one) => one.finish_reason)).toEqual(['', 'stop']);
        expect((await store.message(open.uuid))?.finish_reason).toBe('');
        await reopen();
        expect((await store.messages(session.uuid)).map((one) => one.finish_reason)).toEqual(['interrupted', 'stop']);
        expect(await store.message(open.uuid)).toEqual({ ...open, finish_reason: 'interrupted' });
      });

      it('give their last answers, oldest first, without unanswered messages', async () => {
        const session = aSession((await withChatbot()).uuid);
        const messages = Array.from({ length: 9 }, (_, n) => aMessage(session.uuid, { response: `answer ${n}` }));
        const early = messages[0]!;
        await store.saveMessage({ ...early, response: '', finish_reason: '' }, session);
        for (const message of messages.slice(1)) await store.saveMessage(message);
        await store.saveMessage(aMessage(session.uuid, { response: '', finish_reason: 'error' }));
        const under = aMessage(session.uuid, { response: 'so far', finish_reason: '' });
        await store.saveMessage(under);
        expect(await store.lastMessages(session.uuid, 3)).toEqual(messages.slice(6));
        expect(await store.lastMessages(session.uuid, 20)).toEqual(messages.slice(1));
        // Its place is that of its question, however late the answer came.
        await store.saveMessage(early);
        const rated = { ...messages[7]!, feedback_json: '{"rating":1}' };
        await store.saveMessage(rated);
        await store.deleteMessage(messages[8]!.uuid);
        for (const again of [false, true]) {
          if (again) await reopen();
          const interrupted = again ? [{ ...under, finish_reason: 'interrupted' }] : [];
          const expected = [...messages.slice(0, 7), rated, ...interrupted];
          expect(await store.lastMessages(session.uuid, 20)).toEqual(expected);
          expect(await store.lastMessages(session.uuid, 2)).toEqual(expected.slice(-2));
          expect(await store.lastMessages(session.uuid, 0)).toEqual([]);
        }
        (await store.lastMessages(session.uuid, 1))[0]!.response = 'changed';
        expect((await store.lastMessages(session.uuid, 1))[0]!.response).not.toBe('changed');
        expect(await store.lastMessages(newUuid(), 3)).toEqual([]);
      });

      it('can be changed without losing a message, also one that is being saved', async () => {
        const session = aSession((await withChatbot()).uuid);
        await store.createSession(session);
        const messages = Array.from({ length: 5 }, () => aMessage(session.uuid));
        await Promise.all([
          ...messages.slice(0, 3).map((message) => store.saveMessage(message)),
          ...[1, 2, 3].map((n) =>
            store.updateSession(session.uuid, (one) => ({ ...one, foreign: `${one.foreign ?? ''}${n}` })),
          ),
          ...messages.slice(3).map((message) => store.saveMessage(message)),
        ]);
        const changed = { ...session, foreign: '123' };
        const refused = store.updateSession(session.uuid, () => {
          throw new Error('no');
        });
        await expect(refused).rejects.toThrow('no');
        for (const again of [false, true]) {
          if (again) await reopen();
          expect(await store.session(session.uuid)).toEqual(changed);
          expect(await store.messages(session.uuid)).toEqual(messages);
        }
      });

      it('are deleted with their messages; what is saved at that moment is refused', async () => {
        const { uuid } = await withChatbot();
        const session = aSession(uuid);
        const message = aMessage(session.uuid);
        await store.saveMessage(message, session);
        expect(await store.chatbotOf(session.uuid)).toBe(uuid);
        const deleted = store.deleteSession(session.uuid);
        expect(await oneOf([deleted, store.deleteSession(session.uuid)])).toBe(true);
        expect(await store.saveMessage(aMessage(session.uuid))).toBe(false);
        await reopen();
        expect(await store.session(session.uuid)).toBeUndefined();
        expect(await store.chatbotOf(session.uuid)).toBeUndefined();
        expect(await store.message(message.uuid)).toBeUndefined();
        expect(await store.sessions(uuid)).toEqual([]);
      });

      it('are deleted only if they were last modified before the time that is given', async () => {
        const session = { ...aSession((await withChatbot()).uuid), modified_at: '2026-02-01T00:00:00Z' };
        await store.createSession(session);
        expect(await store.deleteSession(session.uuid, '2026-02-01T00:00:00Z')).toBe(false);
        await store.saveMessage({ ...aMessage(session.uuid), modified_at: '2026-03-01T00:00:00Z' });
        for (const again of [false, true]) {
          if (again) await reopen();
          expect(await store.deleteSession(session.uuid, '2026-02-15T00:00:00Z')).toBe(false);
          expect(await store.messages(session.uuid)).toHaveLength(1);
        }
        expect(await store.deleteSession(session.uuid, '2026-03-01T00:00:01Z')).toBe(true);
        expect(await store.session(session.uuid)).toBeUndefined();
      });

      it('can be made again after their deletion', async () => {
        const session = aSession((await withChatbot()).uuid);
        await store.saveMessage(aMessage(session.uuid), session);
        const second = aMessage(session.uuid);
        await store.deleteSession(session.uuid);
        expect(await store.saveMessage(second, session)).toBe(true);
        expect(await store.messages(session.uuid)).toEqual([second]);
        await reopen();
        expect(await store.messages(session.uuid)).toEqual([second]);
      });
    });

    it('waits for running verbs before it closes, and rejects new ones', async () => {
      const session = aSession((await withChatbot()).uuid);
      const message = aMessage(session.uuid);
      const saving = store.saveMessage(message, session);
      await store.close();
      expect(await saving).toBe(true);
      await expect(store.saveMessage(aMessage(session.uuid))).rejects.toThrow('closed');
      store = await fixture.open();
      expect(await store.messages(session.uuid)).toEqual([message]);
    });
  });
}
