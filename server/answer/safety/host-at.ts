import type { AllowedAddresses } from './hosts.ts';

/** UTF-16 units, up to which it is waited for the end of a host. */
const MAX_HOST = 260;

/** UTF-16 units of the page's address that a text begins with: what ends a sentence is no part of it, nor what has no spaces. */
export function pageIn(addresses: AllowedAddresses, text: string): number {
  for (const word of [text, /^[\x21-\x7e]*/.exec(text)![0]]) {
    for (let length = word.length; length > 0; length--) {
      if (addresses.hasPage(word.slice(0, length))) return length;
      if (!/[\p{P}\p{S}]/u.test(word[length - 1]!)) break;
    }
  }
  return 0;
}

/** Whether the owner lists the host, with its scheme or without. */
export const isListed = (addresses: AllowedAddresses, host: string): boolean => {
  const name = host.replace(/^https?:\/\//i, '');
  return addresses.isListed(name) || addresses.isListed(`www.${name}`);
};

/** The allowed host that begins here, false for any other; undefined where it may go on. */
export function hostAt(
  addresses: AllowedAddresses,
  text: string,
  from: number,
  isLast: boolean,
  inLink: boolean,
): string | false | undefined {
  const [token = ''] = /^[^\s/?#<>"`]*/.exec(text.slice(from, from + MAX_HOST)) ?? [];
  if (token.length >= MAX_HOST) return false;
  if (from + token.length === text.length && !isLast) return undefined;
  const authority = (inLink ? token.replace(/\).*$/s, '') : token).replace(/[\p{P}\p{S}]+$/u, (signs) =>
    signs.startsWith(']') && token.startsWith('[') ? ']' : '',
  );
  // Anything else, such as a user name, an escape or an entity, can hide another host.
  if (!/^(?:[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu.test(authority)) return false;
  return addresses.has(authority) || addresses.has(`www.${authority}`) ? authority : false;
}
