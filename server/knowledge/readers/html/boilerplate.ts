/** Detects boilerplate: navigation, footers, cookie banners. */

/** The names of a list, separated by white space. */
export const nameSet = (list: string): Set<string> => new Set(list.split(/\s+/));

const BOILERPLATE = nameSet('nav aside footer dialog');
const BOILERPLATE_ROLES = nameSet(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar',
);

/** By element and role. Its content is boilerplate too, unless it contains the page's `main`. */
export const isBoilerplate = (name: string, role: string): boolean =>
  BOILERPLATE.has(name) || BOILERPLATE_ROLES.has(role);

export const isHeaderOrFooter = (name: string, role: string): boolean =>
  /^(?:header|footer)$/.test(name) || /^(?:banner|contentinfo)$/.test(role);

/** Class names and ids that are boilerplate anywhere in a page. */
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
/** Names that are boilerplate only outside `main` and articles, where they may name content. */
const OUTSIDE = new RegExp(
  `^(?:${[
    '(?:main|top|site|page|global|sub|mobile|footer|header)-?(?:nav|navigation|menu|header|footer)|nav|nav-?bar|navigation|menu-?bar|footer',
    '(?:cookies?|consent|gdpr|sidebar|side-bar|tagline|slogan|search-?(?:form|box|menu)|top-?bar|masthead|copyright)(?:-[a-z\\d-]+)?',
    '[a-z\\d-]+-sidebar',
  ].join('|')})$`,
);
/** Names of a layout, or of pages about such things (`cookie-policy`), which are not boilerplate. */
const LAYOUT_NAME = /^(?:has|with|no|without|is)-|polic|-page$|^page-template/;

/** UTF-16 units of all names that are read, and of one name; longer ones are generated. */
const MAX_NAMES_LENGTH = 300;
const MAX_NAME_LENGTH = 60;

/** By class names and id (`names`). `contentOf` ignores it where nearly the whole page would be boilerplate. */
export function isNamedBoilerplate(names: string, inContent: boolean): boolean {
  const tokens = names
    .slice(0, MAX_NAMES_LENGTH)
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .replace(/_+/g, '-')
    .toLowerCase()
    .split(/\s+/);
  const isCalled = (token: string): boolean =>
    !LAYOUT_NAME.test(token) && (ANYWHERE.test(token) || (!inContent && OUTSIDE.test(token)));
  return tokens.some((token) => token.length <= MAX_NAME_LENGTH && isCalled(token));
}
