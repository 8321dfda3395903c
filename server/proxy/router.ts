import cors from '@koa/cors';
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { AnswerRuns } from '../answer/runs.ts';
import type { Capacity } from '../answer/capacity.ts';
import { Run } from '../answer/run.ts';
import { notFound, Refusal } from '../schema/errors.ts';
import { readBody, refuseUnmatched } from '../http/body.ts';
import type { Whereabouts } from '../http/own-address.ts';
import { clientAddress, createTakeVisit } from '../http/rate-limit.ts';
import { view, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot } from '../store/store.ts';
import type { ChatbotProfile, ChatEvent } from '../types.ts';
import { publicSettings } from '../schema/widget-settings.ts';
import { createAsk } from './ask.ts';
import { AskBody, SessionBody, VisitorSessionSchema } from '../schema/visitor.ts';
import { createConversations, type VisitorRequest } from './conversations.ts';
import { createEventStreams, unreadReplies, type EventStreams } from './sse.ts';
import { admitOrigin } from './origins.ts';
import { noteOrigin } from './seen-on.ts';
import { servePage } from './share-page.ts';
import { createVisitorSessions, type VisitorSessions } from './sessions.ts';
import { originsOf, type Upstream } from './upstream/upstream.ts';

export interface ChatRouterOptions extends Whereabouts {
  store: Store;
  runs: AnswerRuns;
  upstream: Upstream;
  clock: Clock;
  log: Logger;
  /** Open streams, in all. */
  maxStreams?: number;
  /** Capacity for bytes that replies buffer until they are read; `unreadReplies` by default. */
  unreadBytes?: Capacity;
  /** Overrides fields of a chatbot's public profile. */
  profile?(chatbot: StoredChatbot): Partial<ChatbotProfile> | Promise<Partial<ChatbotProfile>>;
}

/** The public chat API: /chat/{chatbot}/… for pages of any origin, and the share page /c/{chatbot}. No operation takes a key. */
export function createChatRouter(options: ChatRouterOptions): Middleware {
  const router = new Router({ prefix: '/chat', sensitive: true });
  const on = (method: 'GET' | 'POST', path: string, handle: (request: VisitorRequest) => Promise<unknown>): void => {
    router.register(path, [method], async (ctx) => {
      const reply = await handle({ chatbot: await admitVisitor(options, ctx), ctx });
      if (reply !== undefined) ctx.body = reply;
    });
  };
  const { unreadBytes = unreadReplies() } = options;
  const events = createEventStreams({ unreadBytes, maxStreams: options.maxStreams, clock: options.clock });
  const sessions = createVisitorSessions(options);
  const addressOf = ({ req }: Context): string => clientAddress(req, options.trustProxyHops);
  const conversations = createConversations({ ...options, events, sessions, unreadBytes, addressOf });
  const { messages, deleteSession, resume, stop, confirm, feedback } = conversations;

  on('GET', '/:chatbot', async ({ chatbot, ctx }) => {
    noteOrigin(options, chatbot, ctx);
    return profileOf(options, chatbot);
  });
  const limitWrites = createWriteLimit(options);
  on('POST', '/:chatbot/session', startSession(options, sessions, limitWrites));
  on('POST', '/:chatbot/ask', ask(options, sessions, events));
  on('GET', '/:chatbot/session/:session/messages', messages);
  on('POST', '/:chatbot/session/:session/delete', deleteSession);
  on('GET', '/:chatbot/session/:session/message/:message/stream', resume);
  on('POST', '/:chatbot/session/:session/message/:message/stop', stop);
  on('POST', '/:chatbot/session/:session/message/:message/confirm', async (request) => {
    await limitWrites(request, 'too many confirmations at once');
    return confirm(request);
  });
  on('POST', '/:chatbot/session/:session/message/:message/feedback', async (request) => {
    await limitWrites(request, 'too much feedback at once');
    return feedback(request);
  });

  const warnOfProxy = createProxyWarning(options);
  const routes = router.routes() as unknown as Middleware;
  return (ctx, next) => {
    if (ctx.path.startsWith('/c/')) return servePage(ctx, options, (id) => findChatbot(options, ctx, id));
    if (!ctx.path.startsWith('/chat/')) return next();
    ctx.set(CHAT_HEADERS);
    warnOfProxy(ctx);
    return crossOrigin(ctx, () => routes(ctx, async () => refuseUnmatched(ctx, router)));
  };
}

/** Warns once: behind a proxy that TRUST_PROXY_HOPS does not count, all visitors share one address and one limit. */
function createProxyWarning({ log, trustProxyHops }: ChatRouterOptions): (ctx: Context) => void {
  let isWarned = trustProxyHops > 0;
  return ({ headers }) => {
    if (isWarned || headers['x-forwarded-for'] === undefined) return;
    isWarned = true;
    log.warn(
      'a request came with X-Forwarded-For while TRUST_PROXY_HOPS is 0: if a proxy of yours sends it, all visitors count as one; ' +
        'set TRUST_PROXY_HOPS to the number of proxies in front, usually 1',
    );
  };
}

/** The widget runs on pages of another origin, or of an opaque one (a sandboxed frame). */
const CHAT_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

// Without credentials: no operation reads a cookie. The error middleware keeps headers, so @koa/cors need not add them to errors.
const crossOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'POST'],
  allowHeaders: ['Content-Type', 'Last-Event-ID'],
  exposeHeaders: ['Retry-After', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'X-Unknown-Fields'],
  maxAge: 86_400,
  keepHeadersOnError: false,
});

const findChatbot = ({ upstream, trustProxyHops }: ChatRouterOptions, { req }: Context, id: string) =>
  upstream.chatbot(id, () => clientAddress(req, trustProxyHops));

/** Checks visibility and origin. A private chatbot is 404. */
async function admitVisitor(options: ChatRouterOptions, ctx: RouterContext): Promise<StoredChatbot> {
  const chatbot = await findChatbot(options, ctx, ctx.params['chatbot'] ?? '');
  if (!chatbot || chatbot.meta.visibility === 'private') throw notFound('chatbot');
  const allowed = originsOf(chatbot);
  if (allowed.length > 0) admitOrigin(ctx, allowed);
  return chatbot;
}

async function profileOf({ profile }: ChatRouterOptions, chatbot: StoredChatbot): Promise<ChatbotProfile> {
  const { uuid, name, meta } = chatbot;
  return {
    uuid,
    name,
    show_citations: meta.show_citations,
    site: '',
    by_ai: false,
    ...publicSettings(chatbot.widget),
    ...(await profile?.(chatbot)),
  };
}

/** The rate limit of a visitor's writes other than questions: a session is a file, feedback a line of one. */
const WRITE_LIMIT: [count: number, seconds: number] = [100, 60];

type WriteLimit = (request: VisitorRequest, refusal: string) => Promise<void>;

function createWriteLimit(options: ChatRouterOptions): WriteLimit {
  const takeVisit = createTakeVisit(options, 'write');
  return async ({ chatbot, ctx }, refusal) => {
    const address = clientAddress(ctx.req, options.trustProxyHops);
    const { retryAfter, fields } = await takeVisit(chatbot.uuid, address, WRITE_LIMIT);
    ctx.set(fields);
    if (retryAfter > 0) throw new Refusal('rate_limited', refusal, { retryAfter });
  };
}

function startSession({ store, log }: ChatRouterOptions, sessions: VisitorSessions, limitWrites: WriteLimit) {
  return async (request: VisitorRequest): Promise<unknown> => {
    const { variables } = await readBody(request.ctx, log, SessionBody);
    await limitWrites(request, 'too many new conversations');
    const session = sessions.create(request.chatbot, variables);
    if (!(await store.createSession(session))) throw notFound('chatbot');
    return view(VisitorSessionSchema, session);
  };
}

function ask(options: ChatRouterOptions, sessions: VisitorSessions, events: EventStreams) {
  const startAnswer = createAsk({ ...options, takeVisit: createTakeVisit(options, 'ask'), sessions });
  return async ({ chatbot, ctx }: VisitorRequest): Promise<void> => {
    const body = await readBody(ctx, options.log, AskBody);
    const address = clientAddress(ctx.req, options.trustProxyHops);
    events.admit(address, ctx.res);
    const { newSession, message, found } = await startAnswer(chatbot, body, {
      address,
      request: String(ctx.state.id),
      acceptedLanguages: ctx.acceptsLanguages(),
      setFields: (fields) => ctx.set(fields),
    });
    // The visitor may come to another server with these uuids. What fails is told by the end of the run.
    if (options.store.answers && found instanceof Run) await found.stored?.catch(() => {});
    const first: ChatEvent[] = [{ event: 'message', data: { uuid: message } }];
    if (newSession !== undefined) first.unshift({ event: 'session', data: { uuid: newSession } });
    events.send(found, ctx.res, { address, from: 0, first, failure: options.upstream.failure });
    ctx.respond = false;
  };
}
