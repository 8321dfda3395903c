import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../server/schema/ids.ts';
import type { Store, StoredChatbot, StoredKey, StoredSource } from '../../server/store/store.ts';
import { oneOf, type StoreFixture } from './contract.ts';
import { aChatbot, aDocument, aFunction, aMessage, anAgent, aSession, aSite, aSource, aTag } from './records.ts';

/** What every engine must do with what only an owner manages: users, keys, agents, tags, files, deleted messages. */
export function managementContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: the contract of what is managed`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let chatbot: StoredChatbot;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      chatbot = await withChatbot();
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });
    const reopen = async () => {
      await store.close();
      store = await fixture.open();
    };
    const withChatbot = async () => {
      const made = aChatbot(store.owner.user.uuid);
      await store.createChatbot(made, []);
      return made;
    };
    const withSources = async (count: number, of = chatbot.uuid) => {
      const sources = Array.from({ length: count }, () => aSource(of));
      for (const source of sources) await store.createSource(source);
      return sources.map(({ uuid }) => uuid);
    };
    /** In this life and in the next. */
    const inBothLives = async (look: () => Promise<void>) => {
      await look();
      await reopen();
      await look();
    };

    describe('the settings of a widget', () => {
      it('are stored with their chatbot, and are frozen', async () => {
        const widget = { title: 'Help', suggestions: ['Why?'], words: { send: 'Go' } };
        await store.updateChatbot(chatbot.uuid, (one) => ({ ...one, widget: structuredClone(widget) }));
        await inBothLives(async () => {
          expect(await store.chatbot(chatbot.uuid)).toEqual({ ...chatbot, widget });
          const mine = (await store.chatbot(chatbot.uuid))?.widget as typeof widget;
          expect(() => mine.suggestions.push('How?')).toThrow(TypeError);
          expect(() => (mine.words.send = 'Stop')).toThrow(TypeError);
          await store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: `${one.name}!` }));
          chatbot.name += '!';
          expect(await store.chatbots(chatbot.owner)).toEqual([{ ...chatbot, widget }]);
        });
      });
    });

    describe('what the first screen suggests', () => {
      it('stays with the chatbot and with the source, and goes with the source', async () => {
        const [source = '', other = ''] = await withSources(2);
        const suggested = { sources: [source, other], site: other };
        await store.updateChatbot(chatbot.uuid, (one) => ({ ...one, suggested }));
        await store.updateSource(source, (one) => ({ ...one, suggestion: 'Opening hours' }));
        await inBothLives(async () => {
          expect(await store.chatbot(chatbot.uuid)).toEqual({ ...chatbot, suggested });
          expect(await store.source(source)).toMatchObject({ suggestion: 'Opening hours' });
        });
        await store.deleteSource(source);
        await inBothLives(async () => expect(await store.source(source)).toBeUndefined());
      });
    });

    describe('users and keys', () => {
      const aKey = (more: Partial<StoredKey> = {}): StoredKey => ({
        hash: newUuid() + newUuid(),
        user: store.owner.user.uuid,
        name: 'site',
        hint: 'dk_abcd',
        created_at: '2026-01-02T03:04:05Z',
        last_used_at: '',
        ...more,
      });
      const aUser = (email: string) => ({ uuid: newUuid(), email, created_at: '2026-01-02T03:04:05Z' });

      it('are there from the moment they are added, one user an address', async () => {
        const user = aUser('ann@shop.example');
        expect(await store.addUser(user)).toEqual(user);
        expect(await store.addUser(aUser(user.email))).toBeUndefined();
        const key = aKey({ user: user.uuid });
        await store.addKey(key);
        await inBothLives(async () => {
          expect(await store.users()).toEqual([store.owner.user, user]);
          expect(await store.keyOwner(key.hash)).toEqual(user);
        });
      });

      it('are one user where many add the same address at once', async () => {
        const added = await Promise.all(Array.from({ length: 8 }, () => store.addUser(aUser('ann@shop.example'))));
        const made = added.filter((user) => user !== undefined);
        expect(made).toHaveLength(1);
        expect(await store.users()).toEqual([store.owner.user, ...made]);
      });

      it('identify no user once they are removed, while the others do', async () => {
        const [gone, kept] = [aKey(), aKey()];
        for (const key of [gone, kept]) await store.addKey(key);
        const removing = [store.removeKey(gone.hash), store.removeKey(gone.hash)];
        expect(await oneOf(removing)).toBe(true);
        await inBothLives(async () => {
          expect(await store.keyOwner(gone.hash)).toBeUndefined();
          expect(await store.keys()).toEqual([kept]);
        });
      });

      it('go together when the user is removed, but the owner of the folder stays', async () => {
        const user = aUser('ann@shop.example');
        await store.addUser(user);
        const [gone, kept] = [aKey({ user: user.uuid }), aKey()];
        for (const key of [gone, kept]) await store.addKey(key);
        expect(await store.removeUser(store.owner.user.uuid)).toBe(false);
        expect(await oneOf([store.removeUser(user.uuid), store.removeUser(user.uuid)])).toBe(true);
        await inBothLives(async () => {
          expect(await store.users()).toEqual([store.owner.user]);
          expect(await store.keys()).toEqual([kept]);
          expect(await store.keyOwner(gone.hash)).toBeUndefined();
        });
        expect(await store.addUser(user)).toEqual(user);
      });

      it('say when they were last used, at once', async () => {
        const key = aKey();
        await store.addKey(key);
        for (const at of ['2026-02-03T04:05:06Z', '2026-02-03T04:05:07Z', '2026-02-03T04:05:01Z']) {
          await store.keyUsed(key.hash, at);
        }
        await store.keyUsed('f'.repeat(64), '2026-02-03T04:05:06Z');
        expect(await store.keys()).toEqual([{ ...key, last_used_at: '2026-02-03T04:05:07Z' }]);
        await reopen();
        expect((await store.keys())[0]?.last_used_at).toMatch(/^2026-02-03T04:05:0[67]Z$/);
      });
    });

    describe('agents', () => {
      it('are listed in order of creation, fetched, changed and deleted', async () => {
        const agents = ['one', 'two', 'three'].map((name) => anAgent(chatbot.uuid, { name }));
        for (const agent of agents) expect(await store.createAgent(agent)).toBe(true);
        const [one, two, three] = agents.map(({ uuid }) => uuid);
        const changed = { ...agents[1]!, name: 'Ünï 🛒', enabled: 0 as const };
        expect(await store.updateAgent(two!, () => changed)).toEqual(changed);
        expect(await oneOf([store.deleteAgent(one!), store.deleteAgent(one!)])).toBe(true);
        await inBothLives(async () => {
          expect(await store.agents(chatbot.uuid)).toEqual([changed, agents[2]]);
          expect(await store.agent(one!)).toBeUndefined();
          expect(await store.agent(two!)).toEqual(changed);
          expect(await store.agent(three!)).toEqual(agents[2]);
        });
      });

      it('need their chatbot, and are unknown under another uuid', async () => {
        expect(await store.createAgent(anAgent(newUuid()))).toBe(false);
        expect(await store.agent(newUuid())).toBeUndefined();
        expect(await store.updateAgent(newUuid(), (one) => one)).toBeUndefined();
        expect(await store.deleteAgent(newUuid())).toBe(false);
        expect(await store.agentWithFunction(newUuid())).toBeUndefined();
        const tag = aTag(chatbot.uuid);
        await store.createTag(tag);
        expect(await store.agent(tag.uuid)).toBeUndefined();
      });

      it('are checked against those that are there, however many are made at once', async () => {
        const make = () =>
          store.createAgent(anAgent(chatbot.uuid, { type: 'spam-defense' }), (agents) => {
            if (agents.some(({ type }) => type === 'spam-defense')) throw new Error('one is enough');
          });
        const made = await Promise.allSettled(Array.from({ length: 20 }, make));
        expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        await inBothLives(async () => expect(await store.agents(chatbot.uuid)).toHaveLength(1));
        await expect(make()).rejects.toThrow('one is enough');
      });

      it('lose none of two hundred changes made at once, beside those of their chatbot and its tags', async () => {
        const [agent, tag] = [anAgent(chatbot.uuid, { prompt: '' }), aTag(chatbot.uuid, { name: '' })];
        await store.createAgent(agent);
        await store.createTag(tag);
        const changes = Array.from({ length: 200 }, (_, i) => [
          store.updateAgent(agent.uuid, (one) => ({ ...one, prompt: `${one.prompt}${i},` })),
          store.updateTag(tag.uuid, (one) => ({ ...one, name: `${one.name}${i},` })),
          store.updateChatbot(chatbot.uuid, (one) => ({ ...one, name: String(i) })),
        ]).flat();
        await Promise.all(changes);
        const all = Array.from({ length: 200 }, (_, i) => `${i},`).join('');
        await inBothLives(async () => {
          expect((await store.agent(agent.uuid))?.prompt).toBe(all);
          expect((await store.tag(tag.uuid))?.name).toBe(all);
          expect((await store.chatbot(chatbot.uuid))?.name).toBe('199');
        });
      });

      it('stay as they are where a change throws, and are not changed by changing what was handed in or out', async () => {
        const agent = anAgent(chatbot.uuid, { tool_functions: [aFunction()] });
        const given = structuredClone(agent);
        const creating = store.createAgent(given);
        given.tool_functions[0]!.name = 'changed';
        await creating;
        const throwing = store.updateAgent(agent.uuid, (one) => {
          one.tool_functions.pop();
          throw new Error('no');
        });
        await expect(throwing).rejects.toThrow('no');
        const held = (await store.updateAgent(agent.uuid, (one) => one))!;
        held.tool_functions.pop();
        (await store.agent(agent.uuid))!.tool_functions.pop();
        (await store.agents(chatbot.uuid))[0]!.tool_functions.pop();
        await store.createAgent(anAgent(chatbot.uuid), (agents) => void agents[0]!.tool_functions.pop());
        expect(await store.agent(agent.uuid)).toEqual(agent);
      });

      it('are found by their tool functions, as long as they have them', async () => {
        const [kept, gone] = [aFunction(), aFunction()];
        const agent = anAgent(chatbot.uuid, { tool_functions: [gone] });
        await store.createAgent(anAgent(chatbot.uuid));
        await store.createAgent(agent);
        expect(await store.agentWithFunction(gone.uuid)).toEqual(agent);
        await store.updateAgent(agent.uuid, (one) => ({ ...one, tool_functions: [kept] }));
        await inBothLives(async () => {
          expect(await store.agentWithFunction(gone.uuid)).toBeUndefined();
          expect((await store.agentWithFunction(kept.uuid))?.uuid).toBe(agent.uuid);
        });
        await store.deleteAgent(agent.uuid);
        await inBothLives(async () => expect(await store.agentWithFunction(kept.uuid)).toBeUndefined());
      });
    });

    describe('source tags', () => {
      it('are listed in order of creation, fetched, changed and deleted', async () => {
        const tags = ['one', 'two', 'three'].map((name) => aTag(chatbot.uuid, { name }));
        for (const tag of tags) expect(await store.createTag(tag)).toBe(true);
        const [one, two] = tags.map(({ uuid }) => uuid);
        const changed = { ...tags[1]!, color: '#000000' };
        expect(await store.updateTag(two!, () => changed)).toEqual(changed);
        expect(await oneOf([store.deleteTag(one!), store.deleteTag(one!)])).toBe(true);
        await inBothLives(async () => {
          expect(await store.tags(chatbot.uuid)).toEqual([changed, tags[2]]);
          expect(await store.tag(one!)).toBeUndefined();
          expect(await store.tag(two!)).toEqual(changed);
        });
      });

      it('need their chatbot, and are unknown under another uuid', async () => {
        expect(await store.createTag(aTag(newUuid()))).toBe(false);
        expect(await store.tag(newUuid())).toBeUndefined();
        expect(await store.tags(newUuid())).toEqual([]);
        expect(await store.updateTag(newUuid(), (one) => one)).toBeUndefined();
        expect(await store.deleteTag(newUuid())).toBe(false);
      });
    });

    describe('sites', () => {
      it('are listed in order of creation, fetched and changed', async () => {
        const [one, two] = [aSite(chatbot.uuid), aSite(chatbot.uuid, { url: 'https://shop.example/' })];
        for (const site of [one, two]) expect(await store.createSite(site)).toBe(true);
        const changed = { ...one, status: 'done', found: 7, done: 6, failed: 1 };
        expect(await store.updateSite(one.uuid, () => changed)).toEqual(changed);
        await inBothLives(async () => {
          expect(await store.sites(chatbot.uuid)).toEqual([changed, two]);
          expect(await store.site(one.uuid)).toEqual(changed);
        });
      });

      it('that run are listed after a restart', async () => {
        const other = await withChatbot();
        const [one, two, three] = [chatbot, other, other].map(({ uuid }) => aSite(uuid));
        for (const site of [one!, two!, three!]) await store.createSite(site);
        await store.updateSite(two!.uuid, (site) => ({ ...site, status: 'stopped' }));
        await inBothLives(async () => expect(await store.unfinishedSites()).toEqual([one, three]));
      });

      it('go with their pages, and with those of no other site', async () => {
        const [site, other] = [aSite(chatbot.uuid), aSite(chatbot.uuid)];
        for (const one of [site, other]) await store.createSite(one);
        const page = (more: Partial<StoredSource>) => aSource(chatbot.uuid, { identity: newUuid(), ...more });
        const pages = Array.from({ length: 3 }, () => page({ site: site.uuid, own: 0 }));
        const added = page({ site: site.uuid, own: 1 });
        const kept = [page({ site: other.uuid }), page({ meta_json: JSON.stringify({ site: site.uuid }) })];
        for (const one of [...pages, added, ...kept]) await store.createSource(one);
        await store.putDocument(pages[0]!.uuid, aDocument('of a page'));
        const tag = aTag(chatbot.uuid, { data_source_uuids: [pages[0]!.uuid, added.uuid] });
        await store.createTag(tag);
        const counts = () => store.pageCounts([other.uuid, newUuid(), site.uuid]);
        expect(await counts()).toEqual(
          new Map([
            [site.uuid, 3],
            [other.uuid, 1],
          ]),
        );
        expect((await store.deleteSite(site.uuid))?.toSorted()).toEqual(pages.map(({ uuid }) => uuid).toSorted());
        expect(await store.deleteSite(site.uuid)).toBeUndefined();
        await inBothLives(async () => {
          expect(await store.sites(chatbot.uuid)).toEqual([other]);
          expect(await store.sources(chatbot.uuid)).toEqual([{ ...added, site: '' }, ...kept]);
          expect(await store.sourceCount(chatbot.uuid)).toBe(3);
          expect(await store.document(pages[0]!.uuid)).toBeUndefined();
          expect((await store.tag(tag.uuid))!.data_source_uuids).toEqual([added.uuid]);
          expect(await counts()).toEqual(new Map([[other.uuid, 1]]));
          // What goes by the address of a page that is gone is another source.
          expect(await store.createSource(page({ identity: pages[0]!.identity }))).toEqual({ existing: undefined });
          await store.deleteSource((await store.sources(chatbot.uuid)).at(-1)!.uuid);
        });
      });

      it('need their chatbot, go with it, and are unknown under another uuid', async () => {
        const site = aSite(chatbot.uuid);
        await store.createSite(site);
        await store.deleteChatbot(chatbot.uuid);
        expect(await store.createSite(aSite(chatbot.uuid))).toBe(false);
        expect(await store.updateSite(site.uuid, (one) => one)).toBeUndefined();
        await inBothLives(async () => {
          expect(await store.site(site.uuid)).toBeUndefined();
          expect(await store.sites(chatbot.uuid)).toEqual([]);
          expect(await store.unfinishedSites()).toEqual([]);
        });
      });
    });

    describe('the identity of a source', () => {
      const by = (identity: string) => (one: StoredSource) => ({ ...one, identity, alias: one.identity });

      it('goes to one of those that claim it at once, and finds it under its old one, too', async () => {
        const [one, two] = await withSources(2);
        const before = await store.source(one!);
        const page = 'https://shop.example/page';
        const claims = await Promise.all([one!, two!].map((uuid) => store.claimIdentity(uuid, page, by(page))));
        const claimed = { ...before!, identity: page, alias: before!.identity };
        expect(claims).toEqual([{ existing: undefined }, { existing: claimed }]);
        await inBothLives(async () => {
          for (const identity of [page, before!.identity]) {
            const again = aSource(chatbot.uuid, { identity });
            expect(await store.createSource(again)).toEqual({ existing: claimed });
          }
        });
      });

      it('may be claimed by the source that has it, and not by one that is gone', async () => {
        const [one] = await withSources(1);
        const { identity } = (await store.source(one!))!;
        expect(await store.claimIdentity(one!, identity, (source) => source)).toEqual({ existing: undefined });
        await store.deleteSource(one!);
        expect(await store.claimIdentity(one!, identity, (source) => source)).toBeUndefined();
      });
    });

    describe('the sources that tags and agents name', () => {
      it('are those of their chatbot that are there', async () => {
        const [own] = await withSources(1);
        const [foreign] = await withSources(1, (await withChatbot()).uuid);
        const data_source_uuids = [newUuid(), own!, foreign!];
        const [tag, agent] = [aTag(chatbot.uuid, { data_source_uuids }), anAgent(chatbot.uuid, { data_source_uuids })];
        await store.createTag(tag);
        await store.createAgent(agent);
        await inBothLives(async () => {
          expect((await store.tag(tag.uuid))?.data_source_uuids).toEqual([own]);
          expect((await store.agent(agent.uuid))?.data_source_uuids).toEqual([own]);
        });
        const named = [foreign!, own!];
        const again = await store.updateTag(tag.uuid, (one) => ({ ...one, data_source_uuids: named }));
        expect(again?.data_source_uuids).toEqual([own]);
        const once = await store.updateAgent(agent.uuid, (one) => ({ ...one, data_source_uuids: named }));
        expect(once?.data_source_uuids).toEqual([own]);
      });

      it('leave them when they are deleted, and keep their order', async () => {
        const [one, two, three] = await withSources(3);
        const data_source_uuids = [three!, one!, two!];
        const [tag, agent] = [aTag(chatbot.uuid, { data_source_uuids }), anAgent(chatbot.uuid, { data_source_uuids })];
        await store.createTag(tag);
        await store.createAgent(agent);
        await store.deleteSource(one!);
        const left = [three, two];
        await inBothLives(async () => {
          expect(await store.tags(chatbot.uuid)).toEqual([{ ...tag, data_source_uuids: left }]);
          expect(await store.agents(chatbot.uuid)).toEqual([{ ...agent, data_source_uuids: left }]);
        });
        const seen: string[][] = [];
        await store.updateTag(tag.uuid, (before) => {
          seen.push(before.data_source_uuids);
          return before;
        });
        expect(seen).toEqual([left]);
      });

      it('are never one that is deleted at the same moment', async () => {
        const sources = await withSources(20);
        const tag = aTag(chatbot.uuid);
        await store.createTag(tag);
        const busy = sources.flatMap((source, i) => [
          store.updateTag(tag.uuid, (one) => ({ ...one, data_source_uuids: [...one.data_source_uuids, source] })),
          ...(i % 2 ? [store.deleteSource(source)] : []),
        ]);
        await Promise.all(busy);
        const left = sources.filter((_, i) => i % 2 === 0);
        await inBothLives(async () => expect((await store.tag(tag.uuid))?.data_source_uuids).toEqual(left));
      });
    });

    describe('uploaded files', () => {
      const bytes = Uint8Array.from({ length: 3000 }, (_, i) => i % 256);
      const fileOf = async (uuid: string) => {
        const file = await store.file(uuid);
        return file && Buffer.from(file).equals(bytes);
      };

      it('come back byte for byte and go with their source', async () => {
        const [upload, link] = [aSource(chatbot.uuid, { type: 'upload' }), aSource(chatbot.uuid)];
        expect(await store.createSource(upload, bytes)).toEqual({ existing: undefined });
        await store.createSource(link);
        await inBothLives(async () => {
          expect(await fileOf(upload.uuid)).toBe(true);
          expect(await store.file(link.uuid)).toBeUndefined();
          expect(await store.file(newUuid())).toBeUndefined();
        });
        await store.deleteSource(upload.uuid);
        await inBothLives(async () => expect(await store.file(upload.uuid)).toBeUndefined());
      });

      it('are not stored where the same is there already, nor without a chatbot', async () => {
        const [upload, same] = [aSource(chatbot.uuid), aSource(chatbot.uuid, { identity: 'sha' })];
        await store.createSource({ ...upload, identity: 'sha' }, bytes);
        const again = await store.createSource(same, bytes.slice(1));
        expect(again?.existing?.uuid).toBe(upload.uuid);
        expect(await store.file(same.uuid)).toBeUndefined();
        expect(await fileOf(upload.uuid)).toBe(true);
        expect(await store.createSource(aSource(newUuid()), bytes)).toBeUndefined();
      });

      it('may be empty', async () => {
        const upload = aSource(chatbot.uuid);
        await store.createSource(upload, new Uint8Array());
        await inBothLives(async () => expect((await store.file(upload.uuid))?.length).toBe(0));
      });
    });

    describe('deleted messages', () => {
      const withMessages = async (count: number) => {
        const session = aSession(chatbot.uuid);
        const messages = Array.from({ length: count }, () => aMessage(session.uuid));
        await store.createSession(session);
        for (const message of messages) await store.saveMessage(message);
        return { session, messages };
      };

      it('are gone, and the others stay in their order', async () => {
        const { session, messages } = await withMessages(4);
        const [, second, third] = messages;
        const [twice, other, once] = [second, second, third].map((message) => store.deleteMessage(message!.uuid));
        expect([await oneOf([twice!, other!]), await once]).toEqual([true, true]);
        expect(await store.deleteMessage(second!.uuid)).toBe(false);
        const last = aMessage(session.uuid);
        await store.saveMessage(last);
        await inBothLives(async () => {
          expect(await store.messages(session.uuid)).toEqual([messages[0], messages[3], last]);
          expect(await store.message(second!.uuid)).toBeUndefined();
          expect(await store.session(session.uuid)).toEqual(session);
        });
        expect(await store.deleteMessage(second!.uuid)).toBe(false);
      });

      it('do not come back with a later version of them, before or after a restart', async () => {
        const { session, messages } = await withMessages(1);
        const made = aMessage(session.uuid, { finish_reason: '', response: '' });
        await store.saveMessage(made);
        expect(await store.deleteMessage(made.uuid)).toBe(true);
        await inBothLives(async () => {
          expect(await store.saveMessage({ ...made, finish_reason: 'stop' })).toBe(false);
          expect(await store.saveMessage({ ...made, finish_reason: 'stop' }, session)).toBe(false);
          expect(await store.messages(session.uuid)).toEqual(messages);
        });
      });

      it('do not come back with a version that is saved at that moment', async () => {
        const { session } = await withMessages(0);
        const message = aMessage(session.uuid);
        await store.saveMessage({ ...message, finish_reason: '' });
        const [deleted] = await Promise.all([
          store.deleteMessage(message.uuid),
          ...Array.from({ length: 10 }, () => store.saveMessage(message)),
        ]);
        expect(deleted).toBe(true);
        await inBothLives(async () => {
          expect(await store.saveMessage(message)).toBe(false);
          expect(await store.messages(session.uuid)).toEqual([]);
        });
      });

      it('are unknown where they never were, and where their session is gone', async () => {
        const { session, messages } = await withMessages(1);
        expect(await store.deleteMessage(newUuid())).toBe(false);
        await store.deleteSession(session.uuid);
        expect(await store.deleteMessage(messages[0]!.uuid)).toBe(false);
      });

      it('leave what happens to their session at that moment as it is', async () => {
        const { session, messages } = await withMessages(3);
        const added = aMessage(session.uuid);
        const results = await Promise.all([
          store.updateSession(session.uuid, (one) => ({ ...one, foreign: 'x' })),
          store.deleteMessage(messages[1]!.uuid),
          store.saveMessage(added),
        ]);
        expect(results).toEqual([{ ...session, foreign: 'x' }, true, true]);
        await inBothLives(async () => {
          expect(await store.session(session.uuid)).toEqual({ ...session, foreign: 'x' });
          expect(await store.messages(session.uuid)).toEqual([messages[0], messages[2], added]);
        });
      });
    });

    it('takes agents, functions, tags and files with a deleted chatbot', async () => {
      const other = await withChatbot();
      const parts = async (of: StoredChatbot) => {
        const upload = aSource(of.uuid);
        const agent = anAgent(of.uuid, { tool_functions: [aFunction()], data_source_uuids: [upload.uuid] });
        const tag = aTag(of.uuid, { data_source_uuids: [upload.uuid] });
        await store.createSource(upload, Buffer.from('bytes'));
        await store.createAgent(agent);
        await store.createTag(tag);
        return { upload, agent, tag };
      };
      const [gone, kept] = [await parts(chatbot), await parts(other)];
      const busy = [
        store.updateAgent(gone.agent.uuid, (one) => ({ ...one, name: 'late' })),
        store.createAgent(anAgent(chatbot.uuid)),
        store.createTag(aTag(chatbot.uuid)),
        store.deleteTag(gone.tag.uuid),
      ];
      expect(await store.deleteChatbot(chatbot.uuid)).toBe(true);
      await Promise.all(busy);
      await inBothLives(async () => {
        const found = [
          await store.agent(gone.agent.uuid),
          await store.agentWithFunction(gone.agent.tool_functions[0]!.uuid),
          await store.tag(gone.tag.uuid),
          await store.file(gone.upload.uuid),
        ];
        expect(found).toEqual([undefined, undefined, undefined, undefined]);
        expect(await store.tags(chatbot.uuid)).toEqual([]);
        expect(await store.agents(other.uuid)).toEqual([kept.agent]);
        expect(await store.tags(other.uuid)).toEqual([kept.tag]);
        expect(await store.file(kept.upload.uuid)).toBeDefined();
      });
    });
  });
}
