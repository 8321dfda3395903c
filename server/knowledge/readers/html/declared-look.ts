import { Parser } from 'htmlparser2';

/** What a page says of its site in its head: as it is written, '' for what is not there. */
export interface DeclaredLook {
  title: string;
  /** `og:site_name`, else `application-name`. */
  siteName: string;
  themeColor: string;
  /** Addresses of icons for home screens, the largest first. */
  touchIcons: string[];
}

/** UTF-16 units of a page that are read, and of each text. */
const [MAX_READ, MAX_TEXT] = [256 * 1024, 300];
const MAX_ICONS = 20;

export function readDeclaredLook(html: string): DeclaredLook {
  const names = new Map<string, string>();
  const icons: { href: string; size: number }[] = [];
  let title = '';
  let isInTitle = false;
  let isOver = false;
  const tell = (name: string, value = ''): void => {
    if (!names.has(name) && value.trim()) names.set(name, value.trim().slice(0, MAX_TEXT));
  };
  const parser = new Parser({
    onopentag(name, { property, content, media, rel = '', href = '', sizes = '', ...others }) {
      if (isOver) return;
      // A drawing has a title too.
      if (name === 'body' || name === 'svg') isOver = true;
      if (name === 'title') isInTitle = title === '';
      const key = (others['name'] ?? property ?? '').toLowerCase();
      // One for dark systems says nothing of the brand.
      if (name === 'meta' && !/dark/i.test(media ?? '')) tell(key, content);
      if (name === 'link' && /(?:^|\s)apple-touch-icon(?:-precomposed)?(?:\s|$)/i.test(rel) && icons.length < MAX_ICONS)
        icons.push({ href: href.trim(), size: Number(/^\d+/.exec(sizes)?.[0] ?? 0) });
    },
    ontext(text) {
      if (isInTitle && title.length < MAX_TEXT) title += text;
    },
    onclosetag(name) {
      if (name === 'title') isInTitle = false;
    },
  });
  parser.write(html.slice(0, MAX_READ));
  parser.end();
  return {
    title: title.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT),
    siteName: names.get('og:site_name') ?? names.get('application-name') ?? '',
    themeColor: names.get('theme-color') ?? '',
    touchIcons: icons.toSorted((one, other) => other.size - one.size).map(({ href }) => href),
  };
}
