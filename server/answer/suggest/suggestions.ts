import { sourcesFor } from '../../agents/agents.ts';
import type { AgentRouter } from '../../agents/routing/router.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Log } from '../../knowledge/ingest/ingest.ts';
import type { Store, StoredAgent, StoredChatbot, StoredSource } from '../../store/store.ts';
import type { ChatbotProfile } from '../../types.ts';
import { candidatesIn } from './candidates.ts';
import { chooseSuggestions } from './choose.ts';
import { FollowUps } from './follow-ups.ts';

interface SuggestionsOptions {
  store: Store;
  knowledge: Pick<Knowledge, 'search' | 'headingsNear'>;
  /** Without a model, as suggestions are chosen for nobody who waits or pays. */
  router: Pick<AgentRouter, 'route'>;
  /** Whether sources of the chatbot are being ingested, or wait for it. */
  isIngesting(chatbot: string): boolean;
  /** A model writes the answers. */
  hasModel: boolean;
  log: Log;
}

/** Milliseconds after a change, in which others may follow, until suggestions are chosen. */
const DELAY_MS = 500;

interface Due {
  timer: NodeJS.Timeout | undefined;
  /** Since suggestions were chosen last, and the sources that there were then. */
  changes: number;
  sources: number;
}

/**
 * Questions that the first screen suggests where the owner has set none, chosen from the headings of the sources. A source keeps
 * its own suggestion, so that both are deleted in one write; the chatbot's record names the sources.
 */
export class Suggestions {
  /** Told of each change, too. */
  readonly followUps: FollowUps;
  readonly #options: SuggestionsOptions;
  readonly #due = new Map<string, Due>();
  /** Chatbots are worked on one after another. */
  #work = Promise.resolve();
  #isClosed = false;
  readonly #unsubscribe: (() => void)[];

  constructor(options: SuggestionsOptions) {
    this.#options = options;
    this.followUps = new FollowUps({
      knowledge: options.knowledge,
      router: options.router,
      onError: (error, chatbot) => options.log.error({ err: error, chatbot }, 'an answer has no follow-up questions'),
    });
    const { bus } = options.store;
    // Of other processes too.
    this.#unsubscribe = [
      bus.subscribe('passages', (chatbot) => this.followUps.forget(chatbot)),
      bus.subscribe('deleted chatbot', (chatbot) => this.followUps.drop(chatbot)),
    ];
  }

  /** To be called when a source has been ingested, or is gone: suggestions are chosen anew, in the background. */
  changed(chatbot: string): void {
    this.followUps.forget(chatbot);
    const due = this.#due.get(chatbot) ?? { timer: undefined, changes: 0, sources: 0 };
    this.#due.set(chatbot, due);
    due.changes++;
    this.#wait(chatbot, due);
  }

  /** What of a chatbot's profile is found out, beside its settings. Suggestions are absent where the owner has set some, or none. */
  async profileOf(chatbot: StoredChatbot): Promise<Partial<ChatbotProfile>> {
    const { suggestions, site } = await this.#shown(chatbot);
    const { suggestions: own = 'auto' } = chatbot.widget ?? {};
    return { site, by_ai: this.#options.hasModel, ...(own === 'auto' ? { suggestions } : {}) };
  }

  /** What has been deleted meanwhile, or may not be answered from any more, is left out. */
  async #shown({ uuid, suggested }: StoredChatbot): Promise<Pick<ChatbotProfile, 'suggestions' | 'site'>> {
    const { store } = this.#options;
    if (!suggested) this.changed(uuid);
    const { sources, site } = suggested ?? { sources: [], site: '' };
    if (sources.length === 0 && site === '') return { suggestions: [], site };
    const [agents, from, ...found] = await Promise.all([
      store.agents(uuid),
      store.source(site),
      ...sources.map((source) => store.source(source)),
    ]);
    const canAnswer = answerableBy(agents);
    const shown = found.filter((source) => source?.suggestion && canAnswer(source));
    const isFromSite = from !== undefined && canAnswer(from);
    if (shown.length < sources.length || (site !== '' && !isFromSite)) this.changed(uuid);
    return { suggestions: shown.map((source) => source!.suggestion!), site: isFromSite ? hostOf(from) : '' };
  }

  /** What is under way ends with the store. */
  close(): void {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const { timer } of this.#due.values()) clearTimeout(timer);
  }

  #wait(chatbot: string, due: Due): void {
    if (!this.#isClosed) due.timer ??= setTimeout(() => this.#begin(chatbot, due), DELAY_MS).unref();
  }

  /** Of a crawl under way once the sources may have doubled, so that each page costs the same in a long one. */
  #begin(chatbot: string, due: Due): void {
    due.timer = undefined;
    if (this.#options.isIngesting(chatbot) && due.changes < due.sources) return this.#wait(chatbot, due);
    due.changes = 0;
    this.#work = this.#work.then(async () => {
      if (this.#isClosed) return;
      try {
        due.sources = await this.#choose(chatbot);
      } catch (error) {
        if (!this.#isClosed) this.#options.log.error({ err: error, chatbot }, 'suggestions were not chosen');
      }
    });
  }

  /** Returns how many sources there are. */
  async #choose(uuid: string): Promise<number> {
    const { store, knowledge, router } = this.#options;
    const chatbot = await store.chatbot(uuid);
    if (!chatbot) return 0;
    const [agents, sources] = await Promise.all([store.agents(uuid), store.sources(uuid)]);
    const readable = sources.filter(({ tokens }) => tokens > 0).filter(answerableBy(agents));
    const chooseFrom = async (some: StoredSource[]) =>
      chooseSuggestions({ knowledge, router }, chatbot, agents, await candidatesIn(store, some));
    // What a visitor asked and the owner then answered is worded for nobody else.
    const fromPages = await chooseFrom(readable.filter(({ type }) => type !== 'qa'));
    const chosen = fromPages.length > 0 ? fromPages : await chooseFrom(readable.filter(({ type }) => type === 'qa'));
    const suggestions = new Map(chosen.map(({ source, text }) => [source.uuid, text]));
    for (const source of sources) await this.#keep(source, suggestions.get(source.uuid) ?? '');
    const suggested = { sources: [...suggestions.keys()], site: siteIn(readable) };
    if (JSON.stringify(suggested) !== JSON.stringify(chatbot.suggested))
      await store.updateChatbot(uuid, (record) => ({ ...record, suggested }));
    return sources.length;
  }

  /** Does nothing where the source has changed since it was read: its heading may be gone. */
  async #keep({ uuid, modified_at, suggestion = '' }: StoredSource, chosen: string): Promise<void> {
    if (suggestion === chosen) return;
    await this.#options.store.updateSource(uuid, (record) =>
      chosen === '' || record.modified_at === modified_at ? { ...record, suggestion: chosen } : record,
    );
  }
}

/** Whether an agent may answer from a source. */
const answerableBy =
  (agents: StoredAgent[]) =>
  ({ uuid }: Pick<StoredSource, 'uuid'>): boolean =>
    agents.some((agent) => {
      const isAnswering = agent.enabled === 1 && agent.type === 'user-facing';
      return isAnswering && (sourcesFor(agent)?.has(uuid) ?? true);
    });

/** The first source of the host that most pages are from; '' without pages. */
function siteIn(sources: StoredSource[]): string {
  const byHost = new Map<string, StoredSource[]>();
  for (const source of sources) {
    const host = hostOf(source);
    if (host !== '') byHost.set(host, [...(byHost.get(host) ?? []), source]);
  }
  const [most] = [...byHost.values()].toSorted((one, other) => other.length - one.length);
  return most?.[0]?.uuid ?? '';
}

const hostOf = ({ type, file_name }: StoredSource): string =>
  type === 'link' && URL.canParse(file_name) ? new URL(file_name).host.replace(/^www\./, '') : '';
