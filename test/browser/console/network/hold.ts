import type { Page, Request } from 'playwright';

/** Holds the next request of a method whose path ends so, until `go` is called. */
export async function hold(page: Page, method: string, path: RegExp) {
  let go = (): void => {};
  let sent = (): void => {};
  const may = new Promise<void>((done) => (go = done));
  const isSent = new Promise<void>((done) => (sent = done));
  let isHeld = false;
  await page.route(
    ({ pathname }) => path.test(pathname),
    async (route) => {
      if (isHeld || route.request().method() !== method) return route.fallback();
      isHeld = true;
      sent();
      await may;
      return route.continue();
    },
  );
  return {
    isSent,
    /** Resolves once the page has the reply. */
    async go(): Promise<void> {
      const replied = page.waitForResponse((reply) => isOf(reply.request(), method, path));
      go();
      await (await replied).finished();
    },
  };
}

/** Counts the requests of a method whose path ends so. */
export function countOf(page: Page, method: string, path: RegExp): () => number {
  let count = 0;
  page.on('request', (request) => (count += isOf(request, method, path) ? 1 : 0));
  return () => count;
}

const isOf = (request: Request, method: string, path: RegExp): boolean =>
  request.method() === method && path.test(new URL(request.url()).pathname);

/** Fails a request of a method whose path ends so as a network does, as often as is said. */
export async function lose(page: Page, method: string, path: RegExp, times = 1): Promise<void> {
  let left = times;
  await page.route(
    ({ pathname }) => path.test(pathname),
    (route) => (route.request().method() === method && left-- > 0 ? route.abort() : route.fallback()),
  );
}
