import { WebFailure } from '../../web/errors.ts';
import { mayFrame } from '../../web/framing.ts';
import type { Web } from '../../web/web.ts';

export interface FramedPage {
  /** Where it was found, after redirects. */
  url: string;
  mayFrame: boolean;
}

/** Whether a page of `origin` may frame the page at `url`; undefined where that cannot be fetched. */
export async function readFraming(
  web: Web,
  url: string,
  origin: string,
  signal: AbortSignal,
): Promise<FramedPage | undefined> {
  try {
    const page = await web.get(url, { accept: ['text/html', 'application/xhtml+xml'], signal });
    return { url: page.url, mayFrame: mayFrame(page.framing, page.url, origin) };
  } catch (error) {
    if (error instanceof WebFailure) return undefined;
    throw error;
  }
}
