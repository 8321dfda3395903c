import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { assets, demoSite, pages } from '../../demo/pages.ts';
import type { AnswerRuns, Respond } from '../answer/runs.ts';
import { askOnce } from '../answer/ask-once.ts';
import { CHATBOT_META } from '../api/resources/chatbots.ts';
import { urlSource } from '../api/resources/sources/sources.ts';
import { notFound, Refusal } from '../schema/errors.ts';
import { requireRead } from '../http/body.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { sendFile, staticFile, type StaticFile } from '../http/static.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { nextModifiedAt, newUuid, timestamp, type Clock } from '../schema/ids.ts';
import { isPending } from '../schema/records.ts';
import type { Store, StoredMessage, StoredSource } from '../store/store.ts';
import { demoAgents } from './agents.ts';

/** Milliseconds that a page waits for its chatbot. */
const MAX_WAIT_MS = 5000;

/** No Idempotency-Key: those are digests. */
const CLAIM = 'demo';
/** Milliseconds between two looks whether another process prepares the demo, and at most: a claim may be left by one that lives on. */
const [TURN_LOOK_MS, MAX_TURN_MS] = [100, 20_000];

/** The demo: a small site at /demo/, and a chatbot that has ingested it through the scraper, with a team of agents. */
export interface Demo {
  pages: Middleware;
  /** Creates the chatbot and its sources where they are missing; `created` on the first start. Call once the server listens. */
  prepare(): Promise<{ chatbot: string; created: boolean }>;
  /** Resolves when every page has been learned or has failed, or after `patience` ms. */
  learned(patience: number): Promise<void>;
  /** Asks the sample question as a visitor would and forgets it again; `onText` gets each piece as it streams. */
  ask(onText: (piece: string) => void): Promise<StoredMessage>;
  sampleQuestion: string;
}

interface DemoDeps {
  store: Store;
  knowledge: Knowledge;
  runs: AnswerRuns;
  respond: Respond;
  clock: Clock;
  /** The address of this server, which the sources' URLs begin with. */
  base: string;
  /** A script of the demo's own pages, `states.js` of states.html, once built. */
  script: (name: string) => Promise<StaticFile | undefined>;
}

export function createDemo({ store, knowledge, runs, respond, clock, base, script }: DemoDeps): Demo {
  /** '' until it exists: a page with its uuid before that would show a widget without its chatbot. */
  let chatbot = '';
  let endPreparing = (): void => {};
  const prepared = new Promise<void>((done) => (endPreparing = done));

  async function prepare(): Promise<{ chatbot: string; created: boolean }> {
    // Stored first, so that the start after one that is killed here uses the same uuid, and one of another process at the same moment.
    const uuid = (await store.fact('demo')) ?? (await store.claimFact('demo', newUuid()));
    const created = (await store.chatbot(uuid)) === undefined;
    if (created) await createChatbot(uuid);
    chatbot = uuid;
    await moveSources(await store.sources(chatbot));
    for (const page of demoSite.learn) await ingestPage(page);
    return { chatbot, created };
  }

  /** Two servers that start at once would each learn the pages under its own address. */
  async function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const { replyClaims } = store;
    if (!replyClaims) return act();
    const end = Date.now() + MAX_TURN_MS;
    let isOurs: boolean;
    while (!(isOurs = await replyClaims.claim(CLAIM)) && Date.now() < end) await sleep(TURN_LOOK_MS);
    return act().finally(() => isOurs && replyClaims.release(CLAIM));
  }

  async function createChatbot(uuid: string): Promise<void> {
    const now = timestamp(clock);
    const meta = { ...CHATBOT_META, visibility: 'public' as const, show_citations: true };
    const widget = { suggestions: demoSite.suggestions, contact: demoSite.contact };
    const record = { uuid, name: demoSite.name, created_at: now, modified_at: now, meta, widget };
    await store.createChatbot({ ...record, owner: store.owner.user.uuid }, demoAgents(uuid, clock));
  }

  async function ingestPage(page: string): Promise<void> {
    const source = urlSource(chatbot, `${base}/demo/${page}`, undefined, timestamp(clock));
    const stored = await store.createSource(source);
    if (stored && !stored.existing) await knowledge.ingest(source);
  }

  /** Updates the URLs where the folder was served from another address before, so that citations lead to this one. */
  async function moveSources(sources: StoredSource[]): Promise<void> {
    for (const { uuid, file_name } of sources) {
      const page = /\/demo\/([\w-]+\.html)$/.exec(file_name)?.[1];
      const currentUrl = `${base}/demo/${page}`;
      if (page === undefined || !demoSite.learn.includes(page) || file_name === currentUrl) continue;
      const moved = await store.updateSource(uuid, (source) => ({
        ...source,
        file_name: currentUrl,
        // Until its page is learned, a source is called by its address.
        title: source.title === source.file_name ? currentUrl : source.title,
        identity: new URL(currentUrl).href,
        modified_at: nextModifiedAt(source.modified_at, clock),
      }));
      // The index may be loaded by now, with the address before.
      if (moved) await knowledge.rename(moved);
    }
  }

  async function ask(onText: (piece: string) => void): Promise<StoredMessage> {
    const known = await store.chatbot(chatbot);
    if (!known) throw notFound('chatbot');
    return askOnce({ runs, respond, clock }, known, demoSite.sampleQuestion, onText);
  }

  return {
    prepare: () => inTurn(prepare).finally(endPreparing),
    ask,
    sampleQuestion: demoSite.sampleQuestion,
    async learned(patience) {
      const end = Date.now() + patience;
      const isWaiting = (source: StoredSource): boolean => isPending(source.status);
      while (Date.now() < end && (await store.sources(chatbot)).some(isWaiting))
        await new Promise((done) => setTimeout(done, 50));
    },
    pages: async (ctx, next) => {
      if (ctx.path === '/' || ctx.path === '/demo') {
        requireRead(ctx);
        return ctx.redirect('/demo/');
      }
      if (!ctx.path.startsWith('/demo/') || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
      const name = ctx.path.slice('/demo/'.length) || 'index.html';
      ctx.set('Cache-Control', 'no-cache');
      await (PREVIEW_PAGES.has(name) ? previewHeaders : pageHeaders)(ctx, async () =>
        sendFile(ctx, await findFile(name)),
      );
      return undefined;
    },
  };

  async function findFile(name: string): Promise<StaticFile> {
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    const file = page?.includes('{{chatbot}}') ? await withChatbot(page) : toStaticFile(page, asset);
    const found = file ?? (SCRIPT_NAME.test(name) ? await script(name) : undefined);
    if (!found) throw notFound('page');
    return found;
  }

  async function withChatbot(page: string): Promise<StaticFile> {
    // The scraper of this server requests pages too, to go on with what an earlier start has left.
    if (chatbot === '') await Promise.race([prepared, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    if (chatbot === '')
      throw new Refusal('unavailable', 'the demo is being prepared; try again soon', { retryAfter: 1 });
    return staticFile('html', Buffer.from(page.replaceAll('{{chatbot}}', chatbot)));
  }
}

function toStaticFile(
  page: string | undefined,
  asset: { body: string; type: string } | undefined,
): StaticFile | undefined {
  if (page !== undefined) return staticFile('html', Buffer.from(page));
  return asset && staticFile(asset.type, Buffer.from(asset.body));
}

const SCRIPT_NAME = /^[\w-]+\.js$/;

const SELF_ONLY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'self'"],
  requireTrustedTypesFor: ["'script'"],
};

/** The headers of a strict site: the widget has to work under them. */
const pageHeaders = securityHeaders(SELF_ONLY);

/** Pages that show a widget in a frame, with images from the owner's hosts. */
const PREVIEW_PAGES = new Set(['playground.html', 'preview.html']);
const previewHeaders = securityHeaders({ ...SELF_ONLY, imgSrc: ["'self'", 'data:', 'https:'], frameSrc: ["'self'"] });
