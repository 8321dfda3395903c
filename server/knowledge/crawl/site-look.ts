import type { SiteLook } from '../../schema/sources/site.ts';
import { WebFailure } from '../../web/errors.ts';
import type { Web } from '../../web/web.ts';
import { decode } from '../readers/charset.ts';
import { readDeclaredLook } from '../readers/html/declared-look.ts';

/** Icons that are tried: a page may name many that are gone. */
const MAX_TRIED = 3;
/** UTF-16 units. */
const [MAX_NAME, MAX_ADDRESS] = [80, 2048];
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml', 'image/avif'];
/** Between the parts of a title: `Lamps | The lamp shop`. */
const SEPARATOR = /\s+[|–—·•»:-]\s+|\s*[|·•»]\s*|:\s+/;
/** What titles call a first page, without spaces; '' is what has no letter. */
const FIRST_PAGE = new Set(
  ',home,homepage,mainpage,index,start,startpage,welcome,startseite,willkommen,accueil,pagedaccueil,bienvenue,inicio,bienvenidos,startpagina,benvenuti'.split(
    ',',
  ),
);
/** Colours whose parts differ less are black, white or grey: the page's ground, and no accent. */
const MIN_CHROMA = 24;
/** Contrast of an accent with a white page: the widget's button is to stand out from it. */
const MIN_CONTRAST = 3;

/** How the site at `url` names itself and looks, by its page. What cannot be fetched or read is ''. Never rejects. */
export async function readSiteLook(web: Web, url: string, signal: AbortSignal): Promise<SiteLook> {
  try {
    const page = await web.get(url, { accept: ['text/html', 'application/xhtml+xml'], signal });
    const look = readDeclaredLook(await decode(page.body, page.charset));
    const icons = look.touchIcons.flatMap((href) => (URL.canParse(href, page.url) ? new URL(href, page.url).href : []));
    return {
      name: nameOf(look.siteName, look.title, new URL(page.url).hostname),
      color: accentOf(look.themeColor),
      icon: await firstImage(web, icons, signal),
    };
  } catch (error) {
    if (error instanceof WebFailure) return { name: '', color: '', icon: '' };
    throw error;
  }
}

/** The part of the title that the host has, else its first, of those that say more than that it is the first page; '' for none. */
function nameOf(siteName: string, title: string, host: string): string {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const parts = title.split(SEPARATOR).filter((part) => !FIRST_PAGE.has(letters(part)));
  const own = parts.find((part) => letters(part).length > 2 && letters(host).includes(letters(part)));
  const name = siteName || own || parts[0] || '';
  return name.replace(/\p{C}/gu, '').trim().slice(0, MAX_NAME).toWellFormed();
}

/**
 * `#rrggbb`, from the forms in which pages write a theme colour, darkened where it is too light; '' for another form, and for one without
 * a hue.
 */
function accentOf(written: string): string {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i
    .exec(written)
    ?.slice(1)
    .map((one) => parseInt(one + one, 16));
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i
    .exec(written)
    ?.slice(1)
    .map((one) => parseInt(one, 16));
  const decimal = /^rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/i.exec(written)?.slice(1).map(Number);
  const parts = short ?? long ?? decimal ?? [];
  const isColor = parts.length === 3 && parts.every((part) => part < 256);
  if (!isColor || Math.max(...parts) - Math.min(...parts) < MIN_CHROMA) return '';
  return `#${darkened(parts)
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')}`;
}

/** The lightest of the same hue and saturation that stands out from white; itself where it does. */
function darkened(parts: number[]): number[] {
  let own = parts;
  for (let percent = 99; contrastWithWhite(own) < MIN_CONTRAST; percent--)
    own = parts.map((part) => Math.round((part * percent) / 100));
  return own;
}

/** From 1 to 21, by WCAG. */
function contrastWithWhite(parts: number[]): number {
  const [red, green, blue] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05);
}

/** The first that is an image, at an address that the widget takes: https. */
async function firstImage(web: Web, icons: string[], signal: AbortSignal): Promise<string> {
  const possible = icons.filter((icon) => icon.startsWith('https://') && icon.length <= MAX_ADDRESS);
  for (const icon of possible.slice(0, MAX_TRIED)) {
    const image = await web.get(icon, { accept: IMAGES, signal }).catch(() => undefined);
    if (image?.url.startsWith('https://') && image.url.length <= MAX_ADDRESS) return image.url;
  }
  return '';
}
