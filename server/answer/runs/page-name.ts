/** Characters of a page's name at most. */
const MAX_PAGE_NAME = 200;

/**
 * The name that figures and lists have for the page that a browser says its visitor is on: host and path, `shop.example/returns`, or
 * the path where it says no more; without query and fragment, which may say who the visitor is. Undefined where it is no page's address.
 */
export function pageName(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const hasHost = /^https?:\/\//i.test(address);
  const whole = hasHost ? address : `http://host${address}`;
  if (!(hasHost || address.startsWith('/')) || !URL.canParse(whole)) return undefined;
  const { host, pathname } = new URL(whole);
  return ((hasHost ? host : '') + pathname.replace(/(?<=.)\/$/, '')).slice(0, MAX_PAGE_NAME);
}
