import type { Context } from 'koa';
import { ownedChatbot } from '../api/requests/rights.ts';
import { requireRead } from '../http/body.ts';
import { isSecure, ownAddress } from '../http/own-address.ts';
import { hashOf, securityHeaders } from '../http/security-headers.ts';
import type { FramedPage } from '../knowledge/crawl/framing.ts';
import { readUuid } from '../schema/ids.ts';
import type { Store, StoredSite, User } from '../store/store.ts';
import { preferredScheme } from './preview.ts';
import type { Place } from './place.ts';

/**
 * /console/backdrop/{chatbot}: the first page of the chatbot's site, behind the preview of its widget. The page runs no script and
 * has no cookie, is out of reach of keyboard and mouse, and cannot leave its frame. No address of the request decides what is shown.
 */

export interface BackdropDeps {
  store: Store;
  place: Place;
  /** As `Sites` has it. */
  framing(url: string, origin: string): Promise<FramedPage | undefined>;
}

const STYLE =
  'html,body,iframe{width:100%;height:100%;margin:0;border:0}body{overflow:hidden}' +
  'p{max-width:44ch;margin:0;padding:24px;font:15px/1.6 system-ui,sans-serif}';

/** What stands in place of the page. */
const PLAIN = {
  none: 'No site has been read yet: think of a page of yours here.',
  gone: 'Your site could not be fetched: think of its page here.',
  refused: 'Your site lets no other page frame it: think of it here.',
  insecure: 'Your site is not served over HTTPS, and this page is: think of it here.',
};

/** For whoever may change the widget. */
export async function serveBackdrop(ctx: Context, user: User, { store, place, framing }: BackdropDeps): Promise<void> {
  requireRead(ctx);
  const uuid = readUuid(/^\/console\/backdrop\/([^/]+)$/.exec(ctx.path)?.[1] ?? '') ?? '';
  await ownedChatbot(store, { ...user, right: 'edit' }, uuid);
  const site = (await store.sites(uuid)).find(isUsable);
  const origin = new URL(ownAddress(place, ctx.req)).origin;
  const page = site && (await framing(site.url, origin));
  const shown = site ? pageOrWhy(page, isSecure(place, ctx.req)) : PLAIN.none;
  const framed = shown instanceof URL ? [shown.origin] : [];
  await securityHeaders({ ...POLICY, ...(framed.length > 0 && { frameSrc: framed }) })(ctx, async () => {});
  ctx.set('Cache-Control', 'private, max-age=300');
  ctx.type = 'html';
  ctx.body = html(shown, preferredScheme(ctx));
}

const isUsable = ({ status }: StoredSite): boolean => !status.startsWith('error:');

/** Narrower than what an address may hold: in a policy `;` would begin a new rule. */
const ORIGIN = /^https?:\/\/[\w.-]+(?::\d+)?$/;

function pageOrWhy(page: FramedPage | undefined, isHttps: boolean): URL | string {
  const url = page && new URL(page.url);
  if (!url || !ORIGIN.test(url.origin)) return PLAIN.gone;
  if (isHttps && url.protocol === 'http:') return PLAIN.insecure;
  return page.mayFrame ? url : PLAIN.refused;
}

const POLICY = {
  defaultSrc: ["'none'"],
  styleSrc: [hashOf(STYLE)],
  imgSrc: ['data:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'self'"],
};

const html = (shown: URL | string, scheme: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="${scheme}">
<title>Your site</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${shown instanceof URL ? `<iframe title="Your site" src="${escapeHtml(shown.href)}" sandbox inert></iframe>` : `<p>${shown}</p>`}
</body>
</html>
`;

/** An address has neither `<` nor `"` once it is parsed; that it stays so in every part of it is for others to know. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
