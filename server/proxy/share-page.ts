import type { Context } from 'koa';
import { renderSVG } from 'uqr';
import { notFound } from '../schema/errors.ts';
import { requireRead } from '../http/body.ts';
import { ownAddress, type Whereabouts } from '../http/own-address.ts';
import { contentSecurityPolicy, hashOf, type Policy } from '../http/security-headers.ts';
import type { StoredChatbot } from '../store/store.ts';
import { LANGUAGES, WIDGET_DEFAULTS, type WidgetSettings } from '../schema/widget-settings.ts';

/** /c/{chatbot}: the share page of a public chatbot, for use without a website, and its link as a QR code. */

const STYLE =
  'html,body{margin:0;height:100%}main{box-sizing:border-box;max-width:52rem;height:100vh;height:100dvh;margin:0 auto}' +
  '@media(min-width:53rem){main{padding:24px 0}}p{font:16px/1.5 system-ui,sans-serif;margin:0;padding:24px}';

/** Languages of the widget, with the other codes that it knows for Norwegian and Hebrew (widget/words/languages.ts). */
const PAGE_LANGUAGES = new Set([...LANGUAGES, 'no', 'nn', 'iw']);
const RIGHT_TO_LEFT = new Set(['ar', 'he', 'iw']);

const primaryTag = (tag: string): string => tag.toLowerCase().split('-')[0]!;

/** The first of a visitor's language tags that the widget has, else English. */
const languageFor = (tags: readonly string[]): string =>
  tags.find((tag) => PAGE_LANGUAGES.has(primaryTag(tag))) ?? 'en';

/** 404 where `find` has no chatbot, and where it is not `public`. */
export async function servePage(
  ctx: Context,
  where: Whereabouts,
  find: (id: string) => Promise<StoredChatbot | undefined>,
): Promise<void> {
  const [, id = '', file] = /^\/c\/([0-9A-Fa-f-]{32,40})(\/qr\.svg)?$/.exec(ctx.path) ?? [];
  requireRead(ctx);
  const chatbot = await find(id);
  if (chatbot?.meta.visibility !== 'public') throw notFound('chatbot');
  if (file) return serveCode(ctx, `${ownAddress(where, ctx.req)}/c/${chatbot.uuid}`);
  const settings = { ...WIDGET_DEFAULTS, ...chatbot.widget };
  ctx.set(PAGE_HEADERS);
  ctx.vary('Accept-Language');
  const language = settings.language || languageFor(ctx.acceptsLanguages());
  await contentSecurityPolicy(policyOf(settings))(ctx, async () => {});
  ctx.type = 'html';
  ctx.body = html(id, settings.title || chatbot.name || 'Chat', { ...settings, language });
}

/** Readable with 15 % of it damaged, with the margin that readers need. */
const CODE = { ecc: 'M', border: 4 } as const;

/** A link as a QR code. A browser may keep it; a cache for many might hand on the host name that somebody else has sent. */
async function serveCode(ctx: Context, link: string): Promise<void> {
  await contentSecurityPolicy({ defaultSrc: ["'none'"], sandbox: [] })(ctx, async () => {});
  ctx.set({ 'Cache-Control': 'private, max-age=3600', 'X-Content-Type-Options': 'nosniff' });
  ctx.type = 'svg';
  ctx.body = renderSVG(link, CODE);
}

const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};

/** Allows no other hosts but those of the owner's images. */
const policyOf = (settings: WidgetSettings): Policy => ({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ['data:', ...imageSources(settings)],
  styleSrc: [hashOf(STYLE)],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: frameAncestors(settings),
  requireTrustedTypesFor: ["'script'"],
});

function imageSources({ avatar, icon, image_hosts }: WidgetSettings): string[] {
  const own = [avatar, icon].filter((one) => one.startsWith('https:')).map((one) => new URL(one).origin);
  return [...new Set([...own, ...image_hosts.map((host) => `https://${host}`)])];
}

/** `frame-ancestors` has no syntax for the origin `null` nor for an IPv6 address. */
function frameAncestors({ allowed_origins }: WidgetSettings): string[] {
  const framing = allowed_origins.filter((one) => one !== 'null' && !one.includes('['));
  return framing.length > 0 ? framing : ["'none'"];
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

/** URLs are relative, so that they work below any path of a reverse proxy. */
const html = (chatbot: string, title: string, { language, scheme }: WidgetSettings): string => `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${RIGHT_TO_LEFT.has(primaryTag(language)) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${scheme === 'auto' ? 'light dark' : scheme}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main id="chat"><noscript><p lang="en" dir="ltr">This chat needs JavaScript, which is switched off in your browser.</p></noscript></main>
<script src="../embed.js" data-chatbot="${escapeHtml(chatbot)}" data-inline="#chat"></script>
</body>
</html>
`;
