import type { Context, Middleware } from 'koa';
import { requireRead } from '../http/body.ts';
import { hashOf, securityHeaders } from '../http/security-headers.ts';
import { ownOrigins, type Place } from './place.ts';

/**
 * /console/preview: the widget itself, in a frame of the console. The frame is sandboxed: it has no cookie, no storage and no way
 * into the console. What the widget asks of the server goes to the console as a message, which replies: with settings that are not
 * saved yet, and with answers that are stored nowhere.
 */

const SCRIPT = `'use strict';
const waiting = new Map();
let last = 0;
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !waiting.has(data.id)) return;
  waiting.get(data.id)(new Response(data.body, { status: data.status }));
  waiting.delete(data.id);
});
self.fetch = (url, { body } = {}) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve);
    parent.postMessage({ id: last, path: new URL(url).pathname, body }, '*');
  });
if (location.hash === '#inline') document.body.append(Object.assign(document.createElement('main'), { id: 'chat' }));
`;
/** The widget goes by the property: an element in the head would not do. */
const styleOf = (scheme: string): string => `html,body,main{height:100%;margin:0}html{color-scheme:${scheme}}`;

/** A policy's source has no other characters; `Host` may have. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/**
 * `origins`: the server's own, since to WebKit `'self'` is nothing in a sandboxed frame.
 * The settings may name images of any host.
 */
const headersOf = (style: string, origins: string[]): Middleware =>
  securityHeaders({
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'", ...origins.filter((origin) => ORIGIN.test(origin)), hashOf(SCRIPT)],
    styleSrc: [hashOf(style)],
    imgSrc: ['data:', 'https:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'self'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
    sandbox: ['allow-scripts', 'allow-popups', 'allow-popups-to-escape-sandbox'],
  });

/** That of the page around the frame, where it says one: a frame of another scheme is not transparent. */
export const preferredScheme = ({ query }: Context): string =>
  query['scheme'] === 'light' || query['scheme'] === 'dark' ? query['scheme'] : 'light dark';

/** URLs are relative, so that they work below any path of a reverse proxy. */
const html = (style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview of the widget</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<script>${SCRIPT}</script>
<script src="../embed.js" data-chatbot="${'0'.repeat(32)}" data-inline="#chat" data-settings></script>
</body>
</html>
`;

export const servePreview = async (ctx: Context, place: Place): Promise<void> => {
  requireRead(ctx);
  const style = styleOf(preferredScheme(ctx));
  await headersOf(style, ownOrigins(place, ctx.req))(ctx, async () => {});
  // Its origin is opaque: browsers warn that they cannot give the server's own a group of agents for it.
  ctx.remove('Origin-Agent-Cluster');
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'html';
  ctx.body = html(style);
};
