import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import * as Type from 'typebox';
import { readJson, refuseUnmatched } from '../http/body.ts';
import { BESIDE_API, type Audit, type Audited } from '../http/audit.ts';
import type { FindKey } from '../http/auth.ts';
import { isSecure } from '../http/own-address.ts';
import { clientAddress, createVisitorLimits } from '../http/rate-limit.ts';
import { invalid, notFound, Refusal } from '../schema/errors.ts';
import { readUuid, type Clock } from '../schema/ids.ts';
import { validate } from '../schema/validate.ts';
import type { User } from '../store/store.ts';
import { readCookie, writeCookie } from './cookie.ts';
import { AssertionBody, RegistrationBody, type Passkeys } from './passkeys.ts';
import { isRead, mayRead, passkeyPlace, requireNamedUser, requireOwnPage, type Place } from './place.ts';
import type { Invitations, Invited } from './invitations.ts';
import type { OwnKeys } from './keys.ts';
import { deadInvitation, deadLink, otherUser, otherWayFirst, signedOut, wrongKey, wrongPasskey } from './refusals.ts';
import { endOf, MAX_AGE, signedInBy, type SignedIn, type SignIns } from './sign-ins.ts';

interface RoutesDeps {
  place: Place;
  signIns: SignIns;
  findKey: FindKey;
  invitations: Invitations;
  keys: OwnKeys;
  passkeys: Passkeys;
  hasMail: boolean;
  hasModel: boolean;
  /** Of the operator of the server. */
  operator: User;
  audit: Audit;
  clock: Clock;
}

/** Of one address: failed tries, and the seconds in which they count. */
const FAILED_TRIES: readonly [number, number] = [10, 600];

const Credentials = Type.Object({
  link: Type.Optional(Type.String({ maxLength: 256 })),
  /** The link may sign in another user than the one who is signed in. */
  replaces: Type.Optional(Type.Boolean()),
  key: Type.Optional(Type.String({ maxLength: 256 })),
  passkey: Type.Optional(AssertionBody),
});

const NewKey = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) });
const NewPasskey = Type.Object({ name: NewKey.properties.name, credential: RegistrationBody });
const Invitation = Type.Object({ link: Type.String({ maxLength: 256 }) });

/**
 * /console/session: signing in and out; /console/sessions, /console/keys, /console/passkeys: what the user has; /console/invitation: becoming a member. All are
 * by cookie.
 */
export function sessionRoutes(deps: RoutesDeps): Middleware {
  const { place, signIns, findKey, invitations, keys, passkeys, hasMail, hasModel, operator, audit, clock } = deps;
  const failures = createVisitorLimits({ clock, longest: FAILED_TRIES[1] });
  const router = new Router({ prefix: '/console' });
  const on = (method: 'GET' | 'POST' | 'DELETE', path: string, handle: (ctx: Context) => Promise<unknown>): void => {
    router.register(path, [method], async (ctx) => {
      ctx.body = await handle(ctx);
    });
  };
  const setCookie = ({ req, res }: Context, token?: string): void =>
    void res.appendHeader('Set-Cookie', writeCookie(token, isSecure(place, req), MAX_AGE));

  async function current({ req }: Context): Promise<SignedIn | undefined> {
    const token = mayRead(place, req) || !isRead(req) ? readCookie(req, isSecure(place, req)) : undefined;
    return token === undefined ? undefined : signIns.find(token);
  }
  /** As `current`, for what is done as that user: refuses what a page of another asks. */
  async function named(ctx: Context): Promise<SignedIn | undefined> {
    const found = await current(ctx);
    if (found) requireNamedUser(ctx.req, found.user);
    return found;
  }
  const required = async (ctx: Context): Promise<SignedIn> => orRefused(await named(ctx));
  /** In the log of the user's account, unless `what` names a chatbot. */
  const note = (
    { user, signIn }: SignedIn,
    operation: keyof typeof BESIDE_API,
    what: Omit<Audited, 'operation'> = {},
  ): Promise<void> => {
    const where = what.chatbot === undefined ? { account: user.uuid } : {};
    return audit.changed({ user, by: signedInBy(signIn) }, [{ operation, ...where, ...what }]);
  };
  const shown = ({ req }: Context, { user, signIn }: SignedIn): object => ({
    user: { uuid: user.uuid, name: user.email },
    expires: endOf(signIn),
    is_secure: isSecure(place, req),
    public_url: place.publicUrl ?? '',
    has_mail: hasMail,
    has_model: hasModel,
    is_guest: user.invited === true,
    is_operator: user.uuid === operator.uuid,
  });

  /** A try counts while it is under way, so that many at once are not more than the limit. */
  async function attempt<T>({ req }: Context, act: () => Promise<T | undefined>): Promise<T | undefined> {
    const address = clientAddress(req, place.trustProxyHops);
    const retryAfter = failures.take('', address, FAILED_TRIES);
    if (retryAfter > 0)
      throw new Refusal('rate_limited', `too many tries have failed: try again in ${retryAfter} seconds`, {
        retryAfter,
      });
    let isFailed = false;
    try {
      const done = await act();
      isFailed = done === undefined;
      return done;
    } finally {
      if (!isFailed) failures.takeBack('', address);
    }
  }

  /** Whoever opens a link, as somebody may have sent it, is not made another user unasked. */
  async function refuseOther(ctx: Context, link: string): Promise<void> {
    const [own, user] = await Promise.all([current(ctx), signIns.userOfLink(link)]);
    if (own && user && user.uuid !== own.user.uuid) throw otherUser(own.user.email, user.email);
  }

  /** The sign-in whose cookie goes; where that fails it ends by itself. */
  async function endReplaced(ctx: Context): Promise<void> {
    const before = await current(ctx).catch(() => undefined);
    if (before) await end(before).catch(() => {});
  }

  async function end(own: SignedIn): Promise<void> {
    await signIns.end(own.user, own.signIn.uuid);
    // It has ended, whatever the log takes: that is tried again with the next change.
    await note(own, 'signOut', { record: own.signIn.uuid }).catch(() => {});
  }

  on('POST', '/session', async (ctx) => {
    const { link, replaces = false, key, passkey } = validate(Credentials, await readJson(ctx));
    if ([link, key, passkey].filter((one) => one !== undefined).length !== 1)
      throw invalid('link', 'send one of link, key and passkey');
    const userAgent = userAgentOf(ctx);
    const at = passkey && passkeyPlace(place, ctx.req);
    const made = await attempt(ctx, async () => {
      if (link !== undefined) {
        if (!replaces) await refuseOther(ctx, link);
        return signIns.byLink(link, userAgent);
      }
      if (passkey) return passkeys.signIn(at!, passkey, userAgent);
      const known = await findKey(Buffer.from(key!.trim()));
      return known && signIns.byKey(known, userAgent);
    });
    if (!made) throw passkey ? wrongPasskey() : link === undefined ? wrongKey() : deadLink();
    await note(made, 'signIn', {
      record: made.signIn.uuid,
      detail: passkey ? 'passkey' : link === undefined ? 'key' : 'link',
    });
    setCookie(ctx, made.token);
    await endReplaced(ctx);
    return shown(ctx, made);
  });

  /** What a passkey is to sign; nothing is stored, whoever asks. */
  on('POST', '/session/options', (ctx) => passkeys.signInOptions(passkeyPlace(place, ctx.req)));

  on('GET', '/session', async (ctx) => shown(ctx, orRefused(await current(ctx))));

  on('DELETE', '/session', async (ctx) => {
    const found = await named(ctx);
    if (found) await end(found);
    setCookie(ctx);
    return { signed_out: true };
  });

  on('GET', '/sessions', async (ctx) => {
    const { user, signIn: own } = await required(ctx);
    return (await signIns.list(user)).map((one) => ({
      uuid: one.uuid,
      created: one.created_at,
      last_used: one.last_used_at,
      expires: endOf(one),
      user_agent: one.user_agent,
      is_current: one.uuid === own.uuid,
    }));
  });

  on('DELETE', '/sessions/:uuid', async (ctx) => {
    const by = await required(ctx);
    const uuid = uuidOf(ctx);
    if (!(await signIns.end(by.user, uuid))) throw notFound('sign-in');
    await note(by, 'endSignIn', { record: uuid });
    if (uuid === by.signIn.uuid) setCookie(ctx);
    return { uuid };
  });

  on('GET', '/keys', async (ctx) => keys.list((await required(ctx)).user));

  on('POST', '/keys', async (ctx) => {
    const by = await required(ctx);
    const made = await keys.add(by, validate(NewKey, await readJson(ctx)).name);
    if (!made) throw signedOut();
    await note(by, 'createKey', { record: made.uuid, detail: made.name });
    return made;
  });

  on('DELETE', '/keys/:uuid', async (ctx) => {
    const by = await required(ctx);
    const uuid = uuidOf(ctx);
    const revoked = await keys.revoke(by.user, uuid);
    if (!revoked) throw notFound('key');
    await note(by, 'revokeKey', { record: uuid, detail: revoked.name });
    return { uuid };
  });

  on('GET', '/passkeys', async (ctx) => passkeys.list((await required(ctx)).user.uuid));

  on('POST', '/passkeys/options', async (ctx) => {
    const by = await required(ctx);
    return passkeys.addOptions(passkeyPlace(place, ctx.req), by);
  });

  on('POST', '/passkeys', async (ctx) => {
    const by = await required(ctx);
    const { name, credential } = validate(NewPasskey, await readJson(ctx));
    const added = await passkeys.add(passkeyPlace(place, ctx.req), by, name, credential);
    await note(by, 'addPasskey', { record: added.uuid, detail: added.name });
    return added;
  });

  on('DELETE', '/passkeys/:uuid', async (ctx) => {
    const by = await required(ctx);
    const uuid = uuidOf(ctx);
    if (!(await passkeys.remove(by.user.uuid, uuid))) throw notFound('passkey');
    await note(by, 'removePasskey', { record: uuid });
    if (by.signIn.passkey === uuid) setCookie(ctx);
    return { uuid };
  });

  /** What the link is for, without using it. */
  on('POST', '/invitation', async (ctx) => {
    const { chatbot, invitation, hasUser } = await requireInvited(ctx);
    const isSignedIn = (await current(ctx))?.user.email === invitation.email;
    const { email, role, expires_at: expires } = invitation;
    return { chatbot: chatbot.name, email, role, expires, needs_sign_in: hasUser && !isSignedIn };
  });

  on('POST', '/invitation/accept', async (ctx) => {
    const invited = await requireInvited(ctx);
    const { email } = invited.invitation;
    const before = await named(ctx);
    if (before?.user.email === email) {
      const chatbot = await invitations.accept(invited, before.user);
      if (!chatbot) throw deadInvitation();
      await noteJoining(before, invited);
      return { ...shown(ctx, before), chatbot: chatbot.uuid };
    }
    if (invited.hasUser) throw otherWayFirst(email);
    const made = await invitations.acceptAsNew(invited, userAgentOf(ctx));
    if (!made) throw deadInvitation();
    await noteJoining(made, invited);
    await note(made, 'signIn', { record: made.signIn.uuid, detail: 'invitation' });
    setCookie(ctx, made.token);
    await endReplaced(ctx);
    return { ...shown(ctx, made), chatbot: made.chatbot.uuid };
  });

  /** In the chatbot's log, for its owner: that an account was made, or joined, its user knows. */
  const noteJoining = (by: SignedIn, { chatbot, invitation }: Invited): Promise<void> =>
    note(by, 'acceptInvitation', { chatbot: chatbot.uuid, record: by.user.uuid, detail: invitation.role });

  async function requireInvited(ctx: Context): Promise<Invited> {
    const { link } = validate(Invitation, await readJson(ctx));
    const invited = await attempt(ctx, () => invitations.find(link));
    if (!invited) throw deadInvitation();
    return invited;
  }

  const routes = router.routes() as unknown as Middleware;
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    if (!isRead(ctx.req)) requireOwnPage(place, ctx.req);
    await routes(ctx, async () => refuseUnmatched(ctx, router));
  };
}

function orRefused(found: SignedIn | undefined): SignedIn {
  if (!found) throw signedOut();
  return found;
}

const uuidOf = (ctx: Context): string => readUuid((ctx as Context & { params: { uuid: string } }).params.uuid) ?? '';

const userAgentOf = (ctx: Context): string => ctx.get('User-Agent').replace(/\p{C}/gu, '').slice(0, 200);
