import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FindOptions, MessageFilter, Store, StoredMessage, StoredSession } from '../../../server/store/store.ts';
import type { StoreFixture } from '../contract.ts';
import { aChatbot, aMessage, aSession } from '../records.ts';

/** What every engine must do that finds messages. */
export function foundContract(engine: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`${engine}: finding messages`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let chatbot: string;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      chatbot = (await withChatbot()).uuid;
    });
    afterEach(async () => {
      await store.close();
      await fixture.clear();
    });
    const withChatbot = async () => {
      const made = aChatbot(store.owner.user.uuid);
      await store.createChatbot(made, []);
      return made;
    };
    const meta = (outcome: string, agent = 'a'.repeat(32)) =>
      JSON.stringify({ outcome, active_agent: { uuid: agent, name: 'Desk' } });
    const ask = async (
      query: string,
      more: Partial<StoredMessage> = {},
      session: StoredSession = aSession(chatbot),
    ): Promise<StoredMessage> => {
      const message = aMessage(session.uuid, { query, meta_json: meta('answered'), ...more });
      expect(await store.saveMessage(message, session)).toBe(true);
      return message;
    };
    const find = async (filter: MessageFilter, options: Partial<FindOptions> = {}) => {
      const found = await store.findMessages(chatbot, filter, { limit: 100, ...options });
      return found!.messages.map(({ query }) => query);
    };
    /** In this life and in the next. */
    const inBothLives = async (look: () => Promise<void>) => {
      await look();
      await store.close();
      store = await fixture.open();
      await look();
    };

    it('gives what was asked, when, how it went, and by whom it was answered', async () => {
      const message = await ask('Do you repair bows?', { meta_json: meta('unsure'), feedback_json: '{"rating":-1}' });
      const { uuid, session, query, created_at } = message;
      const agent = { uuid: 'a'.repeat(32), name: 'Desk' };
      const one = { session, uuid, query, created_at, outcome: 'unsure', rating: -1, agent, page: '' };
      await inBothLives(async () => {
        expect(await store.findMessages(chatbot, {}, { limit: 10 })).toEqual({ messages: [one], next: '' });
      });
    });

    it('has the newest session first, and of a session the last message', async () => {
      const old = aSession(chatbot);
      await ask('first', {}, old);
      await ask('second');
      await ask('third', {}, old);
      await inBothLives(async () => {
        expect(await find({})).toEqual(['second', 'third', 'first']);
        expect(await find({}, { onePerSession: true })).toEqual(['second', 'third']);
      });
    });

    it('finds words of the question and the answer by their beginning, without case and accents', async () => {
      await ask('Wo ist Zürich?', { response: 'Siehe die Straße [1].' });
      await ask('返品したいです');
      await ask('Where is Basel?');
      await inBothLives(async () => {
        for (const text of ['zurich', 'ZÜR', 'strasse', 'straße wo', 'Zu-ri'])
          expect([text, await find({ text })]).toEqual([text, text === 'Zu-ri' ? [] : ['Wo ist Zürich?']]);
        expect(await find({ text: 'urich' })).toEqual([]);
        expect(await find({ text: '返品' })).toEqual(['返品したいです']);
        expect(await find({ text: "ba'sel \\ ' : *" })).toEqual([]);
        expect(await find({ text: '?!' })).toEqual([]);
        expect(await find({ text: 'IS WHERE' })).toEqual(['Where is Basel?']);
      });
    });

    it('finds words of scripts without spaces only where they stand together', async () => {
      await ask('大学生のための返品');
      await ask('学大');
      await ask('สินค้าไม่มา');
      await ask('มาไม่');
      await inBothLives(async () => {
        expect(await find({ text: '大学' })).toEqual(['大学生のための返品']);
        expect(await find({ text: '大学生 返品' })).toEqual(['大学生のための返品']);
        expect(await find({ text: '学' })).toEqual(['学大', '大学生のための返品']);
        expect(await find({ text: '大' })).toEqual(['学大', '大学生のための返品']);
        expect(await find({ text: '大生' })).toEqual([]);
        expect(await find({ text: 'ไม่มา' })).toEqual(['สินค้าไม่มา']);
        expect(await find({ text: 'สินค้า' })).toEqual(['สินค้าไม่มา']);
      });
    });

    it('tells words apart by vowel signs, and finds capitals of every script', async () => {
      await ask('किताब कहाँ है', { response: 'ΟΔΟΣ İstanbul ЁЛКА' });
      await ask('कतब');
      await ask('한국어 ﬁne ＡＢＣ');
      await inBothLives(async () => {
        expect(await find({ text: 'किताब' })).toEqual(['किताब कहाँ है']);
        for (const text of ['οδος', 'Οδοσ', 'istanbul', 'ISTANBUL', 'ёлка', 'елка'])
          expect([text, await find({ text })]).toEqual([text, ['किताब कहाँ है']]);
        for (const text of ['한국', '하', 'fine', 'abc'])
          expect([text, await find({ text })]).toEqual([text, ['한국어 ﬁne ＡＢＣ']]);
      });
    });

    it('stores and finds messages of any text, however long', { timeout: 60_000 }, async () => {
      const code = (from: number, at: number): string => String.fromCodePoint(from + at);
      const han = Array.from({ length: 190_000 }, (_, at) => code(0x4e00, (at * 7919) % 20_000)).join('');
      const syllables = Array.from(
        { length: 60_000 },
        (_, at) => `${code(0xac00, at % 11_000)}${code(0xac00, (at * 7) % 11_000)}`,
      );
      await ask('a', { response: han });
      await ask('b', { response: syllables.join(' ') });
      await ask('c', { response: `${'x'.repeat(59)}𐐨𐐩 \0 \ud835 \u202e ' & | ! <-> (( :* \\ ${'y'.repeat(100_000)}` });
      await inBothLives(async () => {
        expect(await find({ text: han.slice(0, 5) })).toEqual(['a']);
        expect(await find({ text: syllables[5]! })).toEqual(['b']);
        expect(await find({ text: `${'x'.repeat(59)}𐐨𐐩` })).toEqual(['c']);
        expect(await find({ text: 'y'.repeat(200) })).toEqual(['c']);
        expect(await find({ text: "\ud835 ' & |" })).toEqual([]);
      });
    });

    it('finds by outcome, rating, label, agent, page and day', async () => {
      const labels = [{ name: 'Bug "x" \0', color: '#000000' }];
      const inCart = JSON.stringify({ ...JSON.parse(meta('unknown', 'b'.repeat(32))), page: 'Shop.example/Cart' });
      await ask('one', { meta_json: inCart, labels, created_at: '2026-03-01T23:59:59Z' });
      await ask('two', {
        meta_json: meta('unsure'),
        feedback_json: '{"rating":1}',
        created_at: '2026-03-02T00:00:00Z',
      });
      await ask('three', { feedback_json: '{"rating":-1}', created_at: '2026-03-03T12:00:00Z' });
      await inBothLives(async () => {
        expect(await find({ outcome: 'unknown' })).toEqual(['one']);
        expect(await find({ outcome: 'answered' })).toEqual(['three']);
        expect(await find({ rated: 'up' })).toEqual(['two']);
        expect(await find({ rated: 'down' })).toEqual(['three']);
        expect(await find({ label: 'Bug "x" \0' })).toEqual(['one']);
        expect(await find({ label: 'bug' })).toEqual([]);
        expect(await find({ agent: 'b'.repeat(32) })).toEqual(['one']);
        expect(await find({ page: 'shop.example/cart' })).toEqual(['one']);
        expect(await find({ from: '2026-03-02' })).toEqual(['three', 'two']);
        expect(await find({ to: '2026-03-01' })).toEqual(['one']);
        expect(await find({ from: '2026-03-02', to: '2026-03-02', rated: 'up', text: 'tw' })).toEqual(['two']);
        expect(await find({ from: '2026-03-02', to: '2026-03-02', rated: 'down' })).toEqual([]);
      });
    });

    it('finds the sessions in which a person was asked for, while they are in that state', async () => {
      const written = '"live":{"state":"requested"}';
      const [first, second, other] = [aSession(chatbot), aSession(chatbot), await withChatbot()];
      await ask('one', { meta_json: meta('unknown') }, first);
      await ask('two', {}, second);
      await ask('two again', {}, second);
      await ask(`no ${written}`, {}, aSession(chatbot, { initial_variables: { plan: written, live: 'requested' } }));
      await ask('elsewhere', {}, aSession(other.uuid, { live: { state: 'requested' } }));
      await ask('dry', {}, aSession(chatbot, { dry_run: true, live: { state: 'requested' } }));
      const requested = { state: 'requested' } as const;
      expect(await find(requested)).toEqual([]);
      const request = (one: StoredSession): StoredSession => ({ ...one, live: requested });
      for (const { uuid } of [first, second]) await store.updateSession(uuid, request);
      await ask('three', {}, aSession(chatbot, { live: requested }));
      await inBothLives(async () => {
        expect(await find(requested)).toEqual(['three', 'two again', 'two', 'one']);
        expect(await find(requested, { onePerSession: true })).toEqual(['three', 'two again', 'one']);
        expect(await find({ ...requested, outcome: 'unknown' })).toEqual(['one']);
        expect(await find({ ...requested, text: 'again' })).toEqual(['two again']);
        const page = (await store.findMessages(chatbot, requested, { limit: 2, onePerSession: true }))!;
        expect(page.messages.map(({ query }) => query)).toEqual(['three', 'two again']);
        expect(await find(requested, { after: page.next })).toEqual(['one']);
      });
      await store.updateSession(second.uuid, ({ live: _ended, ...one }) => one);
      await inBothLives(async () => expect(await find(requested)).toEqual(['three', 'one']));
      await store.deleteSession(first.uuid);
      await inBothLives(async () => expect(await find(requested)).toEqual(['three']));
    });

    it('leaves out dry runs, answers under way, and other chatbots', async () => {
      const other = await withChatbot();
      await ask('other', {}, aSession(other.uuid));
      await ask('dry', {}, aSession(chatbot, { dry_run: true }));
      const session = aSession(chatbot);
      const message = await ask('under way', { finish_reason: '' }, session);
      expect(await find({})).toEqual([]);
      await store.saveMessage({ ...message, finish_reason: 'stop' });
      await inBothLives(async () => expect(await find({})).toEqual(['under way']));
      await ask('interrupted', { finish_reason: '' });
      await inBothLives(async () => expect(await find({})).toEqual(['under way']));
    });

    it('follows changes and deletions', async () => {
      const session = aSession(chatbot);
      const [one, two] = [await ask('keep', {}, session), await ask('change', {}, session)];
      expect(await find({ text: 'keep' })).toEqual(['keep']);
      await store.updateMessage(two.uuid, (now) => ({ ...now, feedback_json: '{"rating":-1}', response: 'other' }));
      await inBothLives(async () => {
        expect(await find({ rated: 'down' })).toEqual(['change']);
        expect(await find({ text: 'other' })).toEqual(['change']);
        expect(await find({ text: 'days' })).toEqual(['keep']);
      });
      await store.deleteMessage(one.uuid);
      await inBothLives(async () => expect(await find({})).toEqual(['change']));
      await store.deleteSession(session.uuid);
      await inBothLives(async () => expect(await find({})).toEqual([]));
      await ask('last');
      expect(await find({})).toEqual(['last']);
      await store.deleteChatbot(chatbot);
      await inBothLives(async () => expect(await find({})).toEqual([]));
    });

    it('goes on behind each page, and behind a session, whatever is deleted between', async () => {
      const sessions = Array.from({ length: 5 }, () => aSession(chatbot));
      for (const [at, session] of sessions.entries())
        for (const part of ['a', 'b']) await ask(`${at}${part}`, {}, session);
      const all = ['4b', '4a', '3b', '3a', '2b', '2a', '1b', '1a', '0b', '0a'];
      for (const limit of [1, 2, 3, 9, 10, 11]) {
        const found: string[] = [];
        for (let after: string | undefined; ;) {
          const page = await store.findMessages(chatbot, {}, { limit, after });
          found.push(...page!.messages.map(({ query }) => query));
          if (page!.next === '') break;
          expect(page!.messages).toHaveLength(limit);
          after = page!.next;
        }
        expect([limit, found]).toEqual([limit, all]);
      }
      expect(await find({}, { after: sessions[2]!.uuid })).toEqual(all.slice(6));
      const { next } = (await store.findMessages(chatbot, {}, { limit: 3, onePerSession: true }))!;
      await store.deleteSession(sessions[2]!.uuid);
      expect(await find({}, { after: next, onePerSession: true })).toEqual(['1b', '0b']);
      const other = await withChatbot();
      for (const after of ['', 'x', '1.', sessions[2]!.uuid])
        expect(await store.findMessages(chatbot, {}, { limit: 1, after })).toBeUndefined();
      expect(await store.findMessages(other.uuid, {}, { limit: 1, after: sessions[1]!.uuid })).toBeUndefined();
    });
  });
}
