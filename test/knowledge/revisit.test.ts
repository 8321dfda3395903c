import { afterEach, describe, expect, it, vi } from 'vitest';
import { openKnowledge, pages } from './knowledge-fixture.ts';

type Fixture = Awaited<ReturnType<typeof openKnowledge>>;
let fixture: Fixture;
afterEach(() => fixture.close());

const html = { 'content-type': 'text/html; charset=utf-8' };
const OPEN = '<title>Hours</title><p>The museum opens at nine on weekdays.</p>';
const CLOSED = '<title>Hours</title><p>The museum is closed until the spring.</p>';

const searchTexts = async (query = 'museum') => (await fixture.search(query)).map(({ text }) => text);

/** Fetches a page again, as its owner may ask for. */
async function refetch(uuid: string): Promise<string> {
  await fixture.knowledge.reingest(uuid);
  return (await fixture.ended(uuid)).status;
}

/** A site of one page that can be changed, with an ETag where `marks`; counts how it answered. */
async function openMuseum(marks: boolean) {
  const page = { body: OPEN, status: 200, headers: {} as Record<string, string> };
  const sent: number[] = [];
  fixture = await openKnowledge((request, response) => {
    const etag = `"${page.body.length}"`;
    const same = marks && page.status === 200 && request.headers['if-none-match'] === etag;
    sent.push(same ? 304 : page.status);
    response.writeHead(sent.at(-1)!, { ...html, ...(marks ? { etag } : {}), ...page.headers });
    response.end(same ? undefined : page.body);
  });
  const source = await fixture.ingest('/hours');
  expect(source.status).toBe('success');
  const put = vi.spyOn(fixture.store, 'putDocument');
  return { page, sent, source, put };
}

describe('a page fetched again', () => {
  it('is not sent, and not indexed again, where its ETag is the same', async () => {
    const { sent, source, put } = await openMuseum(true);
    expect(await searchTexts()).toHaveLength(1);
    expect(await refetch(source.uuid)).toBe('success');
    expect(sent).toEqual([200, 304]);
    expect(put).not.toHaveBeenCalled();
    expect(await searchTexts()).toEqual(['The museum opens at nine on weekdays.']);
    expect(await fixture.store.source(source.uuid)).toMatchObject({ file_size: OPEN.length, title: 'Hours' });
  });

  it('is not indexed again where its bytes are the same', async () => {
    const { sent, source, put } = await openMuseum(false);
    expect(await refetch(source.uuid)).toBe('success');
    expect(sent).toEqual([200, 200]);
    expect(put).not.toHaveBeenCalled();
  });

  it('says what it says now where it has changed, and is known by that from then on', async () => {
    const { page, sent, source, put } = await openMuseum(true);
    await searchTexts();
    page.body = CLOSED;
    expect(await refetch(source.uuid)).toBe('success');
    expect(await searchTexts()).toEqual(['The museum is closed until the spring.']);
    expect(await refetch(source.uuid)).toBe('success');
    expect(sent).toEqual([200, 200, 304]);
    expect(put).toHaveBeenCalledTimes(1);
  });

  it('is forgotten where it is gone, and learned anew where it is back as it was', async () => {
    const { page, sent, source } = await openMuseum(true);
    await searchTexts();
    page.status = 404;
    expect(await refetch(source.uuid)).toBe('error:not found');
    expect(await searchTexts()).toEqual([]);
    page.status = 200;
    expect(await refetch(source.uuid)).toBe('success');
    expect(sent).toEqual([200, 404, 200]);
    expect(await searchTexts()).toEqual(['The museum opens at nine on weekdays.']);
  });

  it('is learned anew where what was learned of it is no longer there', async () => {
    const { source, sent } = await openMuseum(true);
    await fixture.store.putDocument(source.uuid, { title: '', text: '', passages: [] });
    expect(await refetch(source.uuid)).toBe('success');
    expect(sent).toEqual([200, 200]);
    expect((await fixture.store.document(source.uuid))!.passages).toHaveLength(1);
  });

  it('is learned whole where the learning before was cut off midway', async () => {
    const { page, source, put } = await openMuseum(true);
    page.body = CLOSED;
    put.mockRejectedValueOnce(new Error('disk full'));
    expect(await refetch(source.uuid)).toBe('fail');
    page.body = OPEN;
    expect(await refetch(source.uuid)).toBe('success');
    expect(await searchTexts()).toEqual(['The museum opens at nine on weekdays.']);
    expect(put).toHaveBeenCalledTimes(2);
  });

  it('is found where it has moved to', async () => {
    const bodies: Record<string, string> = { '/old': OPEN, '/new': CLOSED };
    let moved = false;
    fixture = await openKnowledge((request, response) => {
      if (moved && request.url === '/old') return response.writeHead(301, { location: '/new' }).end();
      return pages(bodies)(request, response);
    });
    const source = await fixture.ingest('/old');
    moved = true;
    expect(await refetch(source.uuid)).toBe('success');
    expect(await searchTexts()).toEqual(['The museum is closed until the spring.']);
    expect((await fixture.store.source(source.uuid))!.file_name).toMatch(/\/old$/);
  });
});

describe('a page that is to be left alone', () => {
  it('is `error:robots` where it says noindex, in its head or its headers, and is forgotten', async () => {
    const { page, source } = await openMuseum(false);
    await searchTexts();
    page.body = `<head><meta name="Robots" content="nofollow, NoIndex"></head>${OPEN}`;
    expect(await refetch(source.uuid)).toBe('error:robots');
    expect(await searchTexts()).toEqual([]);
    page.body = OPEN;
    expect(await refetch(source.uuid)).toBe('success');
    expect(await searchTexts()).toHaveLength(1);
    page.headers = { 'x-robots-tag': 'none' };
    expect(await refetch(source.uuid)).toBe('error:robots');
    expect(await searchTexts()).toEqual([]);
  });

  it('is `error:robots` where robots.txt says so, and is kept while that is only out of order', async () => {
    let robots = [200, ''] as [number, string];
    let now = Date.parse('2026-03-01T00:00:00Z');
    const site = pages({ '/hours': OPEN });
    fixture = await openKnowledge(
      (request, response) => {
        if (request.url === '/robots.txt') response.writeHead(robots[0]).end(robots[1]);
        else site(request, response);
      },
      () => now,
      true,
    );
    const source = await fixture.ingest('/hours');
    expect(source.status).toBe('success');
    robots = [500, ''];
    now += 2 * 60 * 60_000;
    expect(await refetch(source.uuid)).toBe('error:robots');
    expect(await searchTexts()).toHaveLength(1);
    robots = [200, 'User-agent: DocentBot\nDisallow: /hours'];
    now += 2 * 60_000;
    expect(await refetch(source.uuid)).toBe('error:robots');
    expect(await searchTexts()).toEqual([]);
    robots = [404, ''];
    now += 10_000;
    expect(await refetch(source.uuid)).toBe('success');
    expect(await searchTexts()).toHaveLength(1);
  });

  it('is told from one that leaves out other robots, or only talks about it', async () => {
    const heads: Record<string, string> = {
      '/docent': '<meta name=docentbot content=none>',
      '/other': '<meta name="otherbot" content="noindex">',
      '/follow': '<meta name="robots" content="nofollow, noarchive">',
      '/script': '<script>"<meta name=robots content=noindex>"</script>',
      '/body': '</head><body><meta name="robots" content="noindex">',
    };
    fixture = await openKnowledge((request, response) => {
      response.writeHead(200, html).end(`<!doctype html><head>${heads[request.url!]}${OPEN}`);
    });
    const statuses = await Promise.all(Object.keys(heads).map(async (path) => (await fixture.ingest(path)).status));
    expect(statuses).toEqual(['error:robots', 'success', 'success', 'success', 'success']);
  });
});
