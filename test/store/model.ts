import fc from '../random.ts';
import { describe, expect, it } from 'vitest';
import { messageUuid } from '../../server/schema/ids.ts';
import { isPageOf } from '../../server/store/shared/sites.ts';
import type {
  SourceDocument,
  Store,
  StoredAgent,
  StoredChatbot,
  StoredMessage,
  StoredVectors,
} from '../../server/store/store.ts';
import type { StoredSession, StoredSite, StoredSource, StoredTag } from '../../server/store/store.ts';
import type { StoreFixture } from './contract.ts';
import { aChatbot, aDocument, aFunction, aMessage, anAgent, aSession, aSite, aSource, aTag } from './records.ts';

/** What a store should hold, kept in plain maps: insertion order is order of creation. */
interface Model {
  chatbots: Map<string, StoredChatbot>;
  agents: Map<string, StoredAgent>;
  tags: Map<string, StoredTag>;
  sites: Map<string, StoredSite>;
  sources: Map<string, StoredSource>;
  documents: Map<string, SourceDocument>;
  vectors: Map<string, StoredVectors>;
  files: Map<string, string>;
  /** Named by a tag or an agent when they were deleted: an engine may know them by that, and no uuid is used twice. */
  retired: Set<string>;
  sessions: Map<string, StoredSession>;
  messages: Map<string, StoredMessage>;
  deleted: Set<string>;
  facts: Map<string, string>;
}

interface Real {
  store: Store;
  fixture: StoreFixture;
}

type Step = fc.AsyncCommand<Model, Real>;

/** Few identifiers, so that verbs meet; two sessions share their first eight digits. */
const CHATBOTS = ['1', '2'].map((digit) => digit.repeat(32));
const SOURCES = ['3', '4', '5', '9', 'a', 'b'].map((digit) => digit.repeat(32));
const AGENTS = ['c', 'd'].map((digit) => digit.repeat(32));
const TAGS = ['e', '0'].map((digit) => digit.repeat(32));
const SITES = ['51', '52'].map((digits) => digits.repeat(16));
const FUNCTIONS = ['1e', '2e'].map((digits) => digits.repeat(16));
const SESSIONS = ['6'.repeat(32), `${'6'.repeat(8)}${'7'.repeat(24)}`, '8'.repeat(32)];
const MESSAGES = SESSIONS.flatMap((session) =>
  ['a', 'b'].map((digit) => ({ session, uuid: messageUuid(session, digit.repeat(32)) })),
);
const OWNER = 'f'.repeat(32);

/** Two messages of sessions that share eight digits must not have one uuid. */
MESSAGES.forEach((one, i) => (one.uuid = `${one.uuid.slice(0, 30)}0${i}`));

const step = (name: string, run: (model: Model, real: Real) => Promise<void>): Step => ({
  check: () => true,
  run,
  toString: () => name,
});

const values = <T>(map: Map<string, T>, wanted: (value: T) => boolean): T[] => [...map.values()].filter(wanted);

function dropSession(model: Model, uuid: string): void {
  model.sessions.delete(uuid);
  for (const message of values(model.messages, (one) => one.session === uuid)) model.messages.delete(message.uuid);
  // A session that is made again may have a message again, too.
  for (const message of MESSAGES) if (message.session === uuid) model.deleted.delete(message.uuid);
}

function dropSource(model: Model, uuid: string): void {
  model.sources.delete(uuid);
  model.documents.delete(uuid);
  model.vectors.delete(uuid);
  model.files.delete(uuid);
  for (const part of [...model.agents.values(), ...model.tags.values()]) {
    if (part.data_source_uuids.includes(uuid)) model.retired.add(uuid);
    part.data_source_uuids = part.data_source_uuids.filter((one) => one !== uuid);
  }
}

/** Those that are sources of the chatbot. */
const known = (model: Model, chatbot: string, named: string[]): string[] =>
  named.filter((uuid) => model.sources.get(uuid)?.chatbot === chatbot);

function dropChatbot(model: Model, uuid: string): void {
  model.chatbots.delete(uuid);
  for (const { uuid: agent } of values(model.agents, (one) => one.chatbot === uuid)) model.agents.delete(agent);
  for (const { uuid: tag } of values(model.tags, (one) => one.chatbot === uuid)) model.tags.delete(tag);
  for (const { uuid: site } of values(model.sites, (one) => one.chatbot === uuid)) model.sites.delete(site);
  for (const source of values(model.sources, (one) => one.chatbot === uuid)) dropSource(model, source.uuid);
  for (const session of values(model.sessions, (one) => one.chatbot === uuid)) dropSession(model, session.uuid);
}

const functionsOf = (model: Model): Map<string, StoredAgent> =>
  new Map([...model.agents.values()].flatMap((one) => one.tool_functions.map(({ uuid }) => [uuid, one] as const)));

/** A new life: what was under way is interrupted. */
function interrupt(model: Model): void {
  for (const message of model.messages.values())
    if (message.finish_reason === '') message.finish_reason = 'interrupted';
}

const chatbot = fc.constantFrom(...CHATBOTS);
const source = fc.constantFrom(...SOURCES);
const agent = fc.constantFrom(...AGENTS);
const tag = fc.constantFrom(...TAGS);
const site = fc.constantFrom(...SITES);
const named = fc.subarray(SOURCES);
const session = fc.constantFrom(...SESSIONS);
const message = fc.constantFrom(...MESSAGES);
const text = fc.string({ unit: 'binary', maxLength: 20 });
const identity = fc.constantFrom('https://one.example', 'https://two.example');

const createChatbot = (uuid: string, name: string): Step =>
  step(`createChatbot ${uuid[0]}`, async (model, { store }) => {
    const made = aChatbot(OWNER, { uuid, name });
    await store.createChatbot(made, []);
    if (!model.chatbots.has(uuid)) model.chatbots.set(uuid, made);
  });

const createSession = (uuid: string, of: string): Step =>
  step(`createSession ${uuid[8]} in ${of[0]}`, async (model, { store }) => {
    if (model.sessions.has(uuid)) return;
    const made = aSession(of, { uuid });
    expect(await store.createSession(made)).toBe(model.chatbots.has(of));
    if (model.chatbots.has(of)) model.sessions.set(made.uuid, made);
  });

/** Every sequence begins with these: without a chatbot nothing happens. */
const first = [createChatbot(CHATBOTS[0]!, 'first'), createSession(SESSIONS[0]!, CHATBOTS[0]!)];

const saveMessage: fc.Arbitrary<Step> = fc
  .record({ message, text, chatbot, done: fc.boolean(), begin: fc.boolean() })
  .map((given) =>
    step(
      `saveMessage ${given.message.uuid.slice(8, 9)}${given.begin ? ' with its session' : ''}`,
      async (model, { store }) => {
        const { uuid, session: of } = given.message;
        const made = aMessage(of, { uuid, response: given.text, finish_reason: given.done ? 'stop' : '' });
        const head = model.sessions.get(of) ?? aSession(given.chatbot, { uuid: of });
        const there = model.sessions.has(of) || (given.begin && model.chatbots.has(head.chatbot));
        const taken = there && !model.deleted.has(uuid);
        expect(await store.saveMessage(made, given.begin ? head : undefined)).toBe(taken);
        if (!taken) return;
        if (!model.sessions.has(of)) model.sessions.set(of, head);
        model.messages.set(uuid, made);
      },
    ),
  );

const deleteMessage: fc.Arbitrary<Step> = message.map(({ uuid }) =>
  step(`deleteMessage ${uuid.slice(8, 9)}`, async (model, { store }) => {
    expect(await store.deleteMessage(uuid)).toBe(model.messages.has(uuid));
    if (model.messages.delete(uuid)) model.deleted.add(uuid);
  }),
);

const createSource: fc.Arbitrary<Step> = fc
  .record({
    chatbot,
    source,
    identity,
    file: fc.option(text, { nil: undefined }),
    crawled: fc.option(fc.record({ site, own: fc.constantFrom(0 as const, 1 as const) }), { nil: {} }),
  })
  .map((given) =>
    step(`createSource ${given.source[0]} in ${given.chatbot[0]}`, async (model, { store }) => {
      if (model.sources.has(given.source) || model.retired.has(given.source)) return;
      const made = aSource(given.chatbot, { uuid: given.source, identity: given.identity, ...given.crawled });
      const [existing] = values(
        model.sources,
        (one) => one.chatbot === given.chatbot && [one.identity, one.alias].includes(given.identity),
      );
      const there = model.chatbots.has(given.chatbot);
      const bytes = given.file === undefined ? undefined : Buffer.from(given.file);
      expect(await store.createSource(made, bytes)).toEqual(there ? { existing } : undefined);
      if (!there || existing) return;
      model.sources.set(made.uuid, made);
      if (bytes) model.files.set(made.uuid, bytes.toString('hex'));
    }),
  );

/** Some twice and thrice, so that they meet each other more often. */
const steps: fc.Arbitrary<Step>[] = [
  fc.record({ chatbot, text }).map((given) => createChatbot(given.chatbot, given.text)),
  fc.record({ chatbot, text }).map(({ chatbot: uuid, text: name }) =>
    step(`updateChatbot ${uuid[0]}`, async (model, { store }) => {
      const known = model.chatbots.get(uuid);
      if (known) model.chatbots.set(uuid, { ...known, name });
      expect(await store.updateChatbot(uuid, (one) => ({ ...one, name }))).toEqual(model.chatbots.get(uuid));
    }),
  ),
  chatbot.map((uuid) =>
    step(`deleteChatbot ${uuid[0]}`, async (model, { store }) => {
      expect(await store.deleteChatbot(uuid)).toBe(model.chatbots.has(uuid));
      dropChatbot(model, uuid);
    }),
  ),
  fc.record({ chatbot, agent, named, functions: fc.subarray(FUNCTIONS) }).map((given) =>
    step(`createAgent ${given.agent[0]} in ${given.chatbot[0]}`, async (model, { store }) => {
      if (model.agents.has(given.agent)) return;
      const free = given.functions.filter((uuid) => !functionsOf(model).has(uuid));
      const tool_functions = free.map((uuid) => aFunction({ uuid }));
      const more = { uuid: given.agent, data_source_uuids: given.named, tool_functions };
      const there = model.chatbots.has(given.chatbot);
      const made = anAgent(given.chatbot, more);
      expect(await store.createAgent(made)).toBe(there);
      const data_source_uuids = known(model, given.chatbot, given.named);
      if (there) model.agents.set(made.uuid, { ...made, data_source_uuids });
    }),
  ),
  fc.record({ agent, named, text, keeps: fc.boolean() }).map(({ agent: uuid, named: sources, text: name, keeps }) =>
    step(`updateAgent ${uuid[0]}`, async (model, { store }) => {
      const before = model.agents.get(uuid);
      const tool_functions = keeps ? (before?.tool_functions ?? []) : [];
      const change = { name, data_source_uuids: sources, tool_functions };
      const updated = await store.updateAgent(uuid, (one) => ({ ...one, ...change }));
      if (before) {
        const data_source_uuids = known(model, before.chatbot, sources);
        model.agents.set(uuid, { ...before, ...change, data_source_uuids });
      }
      expect(updated).toEqual(model.agents.get(uuid));
    }),
  ),
  agent.map((uuid) =>
    step(`deleteAgent ${uuid[0]}`, async (model, { store }) => {
      expect(await store.deleteAgent(uuid)).toBe(model.agents.delete(uuid));
    }),
  ),
  fc.record({ chatbot, tag, named }).map((given) =>
    step(`createTag ${given.tag[0]} in ${given.chatbot[0]}`, async (model, { store }) => {
      if (model.tags.has(given.tag)) return;
      const made = aTag(given.chatbot, { uuid: given.tag, data_source_uuids: given.named });
      const there = model.chatbots.has(given.chatbot);
      expect(await store.createTag(made)).toBe(there);
      const data_source_uuids = known(model, given.chatbot, given.named);
      if (there) model.tags.set(made.uuid, { ...made, data_source_uuids });
    }),
  ),
  fc.record({ tag, source, text }).map(({ tag: uuid, source: added, text: name }) =>
    step(`updateTag ${uuid[0]}`, async (model, { store }) => {
      const before = model.tags.get(uuid);
      const data_source_uuids = [...(before?.data_source_uuids ?? []).filter((one) => one !== added), added];
      const updated = await store.updateTag(uuid, (one) => ({ ...one, name, data_source_uuids }));
      if (before) {
        const left = known(model, before.chatbot, data_source_uuids);
        model.tags.set(uuid, { ...before, name, data_source_uuids: left });
      }
      expect(updated).toEqual(model.tags.get(uuid));
    }),
  ),
  tag.map((uuid) =>
    step(`deleteTag ${uuid[0]}`, async (model, { store }) => {
      expect(await store.deleteTag(uuid)).toBe(model.tags.delete(uuid));
    }),
  ),
  fc.record({ chatbot, site }).map((given) =>
    step(`createSite ${given.site[1]} in ${given.chatbot[0]}`, async (model, { store }) => {
      if (model.sites.has(given.site)) return;
      const made = aSite(given.chatbot, { uuid: given.site });
      const there = model.chatbots.has(given.chatbot);
      expect(await store.createSite(made)).toBe(there);
      if (there) model.sites.set(made.uuid, made);
    }),
  ),
  fc.record({ site, status: fc.constantFrom('running', 'done') }).map(({ site: uuid, status }) =>
    step(`updateSite ${uuid[1]}`, async (model, { store }) => {
      const known = model.sites.get(uuid);
      if (known) model.sites.set(uuid, { ...known, status });
      expect(await store.updateSite(uuid, (one) => ({ ...one, status }))).toEqual(model.sites.get(uuid));
    }),
  ),
  site.map((uuid) =>
    step(`deleteSite ${uuid[1]}`, async (model, { store }) => {
      const known = model.sites.get(uuid);
      const ofSite = values(model.sources, (one) => one.chatbot === known?.chatbot && one.site === uuid);
      const pages = ofSite.filter((one) => isPageOf(one, uuid));
      expect(await store.pageCounts([uuid])).toEqual(new Map(known ? [[uuid, pages.length]] : []));
      expect((await store.deleteSite(uuid))?.toSorted()).toEqual(known && pages.map((page) => page.uuid).toSorted());
      for (const one of ofSite) {
        if (isPageOf(one, uuid)) dropSource(model, one.uuid);
        else model.sources.set(one.uuid, { ...one, site: '' });
      }
      model.sites.delete(uuid);
    }),
  ),
  fc.record({ source, identity }).map(({ source: uuid, identity: alias }) =>
    step(`claimIdentity ${uuid[0]}`, async (model, { store }) => {
      const known = model.sources.get(uuid);
      const [existing] = values(
        model.sources,
        (one) => one.chatbot === known?.chatbot && one !== known && [one.identity, one.alias].includes(alias),
      );
      const claimed = await store.claimIdentity(uuid, alias, (one) => ({ ...one, alias }));
      expect(claimed).toEqual(known && { existing });
      if (known && !existing) model.sources.set(uuid, { ...known, alias });
    }),
  ),
  createSource,
  createSource,
  fc.record({ source, status: fc.constantFrom('await', 'success', 'fail') }).map(({ source: uuid, status }) =>
    step(`updateSource ${uuid[0]}`, async (model, { store }) => {
      const known = model.sources.get(uuid);
      if (known) model.sources.set(uuid, { ...known, status });
      expect(await store.updateSource(uuid, (one) => ({ ...one, status }))).toEqual(model.sources.get(uuid));
    }),
  ),
  source.map((uuid) =>
    step(`deleteSource ${uuid[0]}`, async (model, { store }) => {
      expect(await store.deleteSource(uuid)).toBe(model.sources.has(uuid));
      dropSource(model, uuid);
    }),
  ),
  fc.record({ source, text }).map((given) =>
    step(`putDocument ${given.source[0]}`, async (model, { store }) => {
      const there = model.sources.has(given.source);
      expect(await store.putDocument(given.source, aDocument(given.text))).toBe(there);
      if (!there) return;
      model.documents.set(given.source, aDocument(given.text));
      if (model.vectors.delete(given.source)) model.sources.get(given.source)!.embedded_by = '';
    }),
  ),
  fc.record({ source, by: fc.constantFrom('small', 'large'), text }).map(({ source: uuid, by, text: bytes }) =>
    step(`putVectors ${uuid[0]}`, async (model, { store }) => {
      const there = model.sources.get(uuid);
      const vectors = { model: by, dimensions: 1, rows: Int8Array.from(Buffer.from(bytes)) };
      expect(await store.putVectors(uuid, vectors)).toBe(there !== undefined);
      if (!there) return;
      model.vectors.set(uuid, vectors);
      there.embedded_by = by;
    }),
  ),
  fc.record({ chatbot, session }).map((given) => createSession(given.session, given.chatbot)),
  fc.record({ session, text }).map(({ session: uuid, text: foreign }) =>
    step(`updateSession ${uuid[8]}`, async (model, { store }) => {
      const known = model.sessions.get(uuid);
      if (known) model.sessions.set(uuid, { ...known, foreign });
      expect(await store.updateSession(uuid, (one) => ({ ...one, foreign }))).toEqual(model.sessions.get(uuid));
    }),
  ),
  session.map((uuid) =>
    step(`deleteSession ${uuid[8]}`, async (model, { store }) => {
      expect(await store.deleteSession(uuid)).toBe(model.sessions.has(uuid));
      dropSession(model, uuid);
    }),
  ),
  saveMessage,
  saveMessage,
  saveMessage,
  deleteMessage,
  deleteMessage,
  fc.record({ name: text, value: text }).map(({ name, value }) =>
    step('setFact', async (model, { store }) => {
      await store.setFact(name, value);
      model.facts.set(name, value);
    }),
  ),
  fc.constant(
    step('another life', async (model, real) => {
      await real.store.close();
      real.store = await real.fixture.open();
      interrupt(model);
    }),
  ),
];

/** Everything that can be read, against the model. */
async function compare(model: Model, store: Store): Promise<void> {
  expect(await store.chatbots(OWNER)).toEqual([...model.chatbots.values()]);
  expect(await store.unfinishedSources()).toEqual(values(model.sources, ({ status }) => status === 'await'));
  const lacking = values(model.sources, (one) => one.status === 'success' && one.embedded_by !== 'small');
  expect(await store.unembeddedSources('small')).toEqual(lacking);
  for (const uuid of CHATBOTS) {
    expect(await store.chatbot(uuid)).toEqual(model.chatbots.get(uuid));
    expect(await store.agents(uuid)).toEqual(values(model.agents, (one) => one.chatbot === uuid));
    expect(await store.tags(uuid)).toEqual(values(model.tags, (one) => one.chatbot === uuid));
    expect(await store.sites(uuid)).toEqual(values(model.sites, (one) => one.chatbot === uuid));
    const sources = values(model.sources, (one) => one.chatbot === uuid);
    expect(await store.sources(uuid)).toEqual(sources);
    expect(await store.sourceCount(uuid)).toBe(sources.length);
    expect(await store.sessions(uuid)).toEqual(values(model.sessions, (one) => one.chatbot === uuid));
  }
  for (const uuid of SOURCES) {
    expect(await store.source(uuid)).toEqual(model.sources.get(uuid));
    expect(await store.document(uuid)).toEqual(model.documents.get(uuid));
    expect(await store.vectors(uuid)).toEqual(model.vectors.get(uuid));
    const file = await store.file(uuid);
    expect(file && Buffer.from(file).toString('hex')).toBe(model.files.get(uuid));
  }
  for (const uuid of SITES) expect(await store.site(uuid)).toEqual(model.sites.get(uuid));
  for (const uuid of AGENTS) expect(await store.agent(uuid)).toEqual(model.agents.get(uuid));
  for (const uuid of TAGS) expect(await store.tag(uuid)).toEqual(model.tags.get(uuid));
  for (const uuid of FUNCTIONS) expect(await store.agentWithFunction(uuid)).toEqual(functionsOf(model).get(uuid));
  for (const uuid of SESSIONS) {
    expect(await store.session(uuid)).toEqual(model.sessions.get(uuid));
    const messages = values(model.messages, (one) => one.session === uuid);
    expect(await store.messages(uuid)).toEqual(messages);
    const answered = messages.filter(({ finish_reason, response }) => finish_reason !== '' && response !== '');
    for (const count of [1, 3]) expect(await store.lastMessages(uuid, count)).toEqual(answered.slice(-count));
  }
  for (const { uuid } of MESSAGES) expect(await store.message(uuid)).toEqual(model.messages.get(uuid));
  for (const [name, value] of model.facts) expect(await store.fact(name)).toBe(value);
}

export function storeModel(engine: string, createFixture: () => Promise<StoreFixture>, numRuns = 80): void {
  describe(`${engine}: any sequence of verbs`, () => {
    it('leaves what a plain model of the store holds', { timeout: 120_000 }, async () => {
      // Without `size` they are ten steps long at most, whatever the maximum.
      const sequences = fc.commands(steps, { maxCommands: 150, size: 'max' });
      await fc.assert(
        fc.asyncProperty(sequences, async (commands) => {
          const fixture = await createFixture();
          const real: Real = { fixture, store: await fixture.open() };
          const model: Model = {
            chatbots: new Map(),
            agents: new Map(),
            tags: new Map(),
            sites: new Map(),
            sources: new Map(),
            documents: new Map(),
            vectors: new Map(),
            files: new Map(),
            retired: new Set(),
            sessions: new Map(),
            messages: new Map(),
            deleted: new Set(),
            facts: new Map(),
          };
          try {
            for (const one of first) await one.run(model, real);
            await fc.asyncModelRun(() => ({ model, real }), commands);
            await compare(model, real.store);
            await real.store.close();
            real.store = await fixture.open();
            interrupt(model);
            await compare(model, real.store);
          } finally {
            await real.store.close();
            await fixture.clear();
          }
        }),
        { numRuns },
      );
    });
  });
}
