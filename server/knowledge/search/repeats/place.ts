/** Where a page stands on its site. */
export interface Place {
  /** '' where the address is a path alone. */
  host: string;
  /** In lower case, without query, ending and closing slash. */
  path: string;
  /** '' at the top of the site. */
  folder: string;
}

/** UTF-16 units. */
const MAX_ADDRESS = 2100;
const ENDING = /(?:\/index)?\.(?:html?|xhtml|php|aspx?)$/;

/** `address`: of a page, absolute or from the root of its site; undefined for anything else. Never throws. */
export function placeOf(address: string): Place | undefined {
  if (address.length > MAX_ADDRESS || !/^(?:https?:\/)?\//i.test(address)) return undefined;
  if (!URL.canParse(address, 'http://site')) return undefined;
  const { host, pathname } = new URL(address, 'http://site');
  const path = pathname.toLowerCase();
  return {
    host: address.startsWith('/') ? '' : host.replace(/^www\./, ''),
    path: path.replace(ENDING, '').replace(/\/+$/, ''),
    folder: path.replace(/\/+[^/]*$/, ''),
  };
}
