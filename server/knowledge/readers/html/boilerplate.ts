/** What stands on every page of a site, and answers nothing. */

const words = (list: string): Set<string> => new Set(list.split(/\s+/));

const BOILERPLATE = words('nav aside footer dialog');
const BOILERPLATE_ROLES = words(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar',
);

/** By its own meaning: whatever is in it is out, unless that is the page's `main`. */
export const isBoilerplate = (name: string, role: string): boolean =>
  BOILERPLATE.has(name) || BOILERPLATE_ROLES.has(role);

/** Names that site builders and consent tools give to such things, wherever they stand. */
const ANYWHERE = new RegExp(
  `^(?:[a-z\\d-]+-)?(?:${[
    'breadcrumbs?|pagination|skip-(?:link|nav|to)|back-to-top|toc|table-of-contents',
    '(?:share|sharing)-?(?:bar|box|buttons?|links?|tools?|icons?|this)|share|add-?to-?any|add-?this',
    'social-?(?:links?|share|sharing|icons?|media|bar|buttons?)',
    '(?:related|recommended|similar|more)-?(?:posts?|articles?|links|stories|products?|pages|topics|reading)',
    'you-(?:may|might)-also-like|newsletter|subscribe-?(?:form|box)|comment-(?:form|respond)',
    '(?:cookies?|consent|gdpr)-?(?:banner|bar|notice|notification|consent|pop-?up|modal|dialog|message|overlay|wall|box)',
    'onetrust|cybot-?cookiebot|usercentrics|didomi|cookie-?law|cookie-?yes|osano',
    'advert(?:s|isements?)?|ad-(?:slot|banner|container|unit)',
  ].join('|')})(?:-[a-z\\d-]+)?$`,
);
/** Those that may well name a part of the content there: in `main` and articles they count for nothing. */
const OUTSIDE = new RegExp(
  `^(?:${[
    '(?:main|top|site|page|global|sub|mobile|footer|header)-?(?:nav|navigation|menu|header|footer)|nav|nav-?bar|navigation|menu-?bar|footer',
    '(?:cookies?|consent|gdpr|sidebar|side-bar|tagline|slogan|search-?(?:form|box|menu)|top-?bar|masthead|copyright)(?:-[a-z\\d-]+)?',
    '[a-z\\d-]+-sidebar',
  ].join('|')})$`,
);
/** Names of a page's layout, and of pages that are about such things. */
const NOT = /^(?:has|with|no|without|is)-|polic|-page$|^page-template/;

/** UTF-16 units of the names that are looked at, and of one: a longer one is made by a machine, for a machine. */
const LONGEST = 300;
const LONGEST_NAME = 60;

/** By the names that were given to it; an element so called may yet be the whole page. */
export function isNamedBoilerplate(names: string, inContent: boolean): boolean {
  const tokens = names
    .slice(0, LONGEST)
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .replace(/_+/g, '-')
    .toLowerCase()
    .split(/\s+/);
  const isCalled = (token: string): boolean =>
    !NOT.test(token) && (ANYWHERE.test(token) || (!inContent && OUTSIDE.test(token)));
  return tokens.some((token) => token.length <= LONGEST_NAME && isCalled(token));
}
