import type { IncomingMessage } from 'node:http';

/** The cookie of a sign-in: a token that means nothing to anybody but this server. */

/** Browsers take a cookie of this prefix over HTTPS alone, and from no other host. */
const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-docent' : 'docent');

/** 32 bytes. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The token that the browser sends; undefined where it sends none. The cookie of plain HTTP, which another host could set, counts
 * for nothing over HTTPS; nor does one that is there twice.
 */
export function readCookie({ headers }: IncomingMessage, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(isSecure)}=`;
  // A byte 0xA0 is white space to `trim`, and part of a name to browsers: any host could set a cookie that is then taken for ours.
  const sent = (headers.cookie ?? '').split(/;[ \t]*/);
  const [value = '', ...others] = sent.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  return others.length === 0 && TOKEN.test(value) ? value : undefined;
}

/** `Set-Cookie`, for `seconds`. Without a token it removes the cookie. */
export function writeCookie(token: string | undefined, isSecure: boolean, seconds: number): string {
  const parts = [
    `${nameOf(isSecure)}=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === undefined ? 0 : seconds}`,
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    'SameSite=Strict',
  ];
  return parts.join('; ');
}
