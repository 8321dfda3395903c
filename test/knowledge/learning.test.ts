import { afterEach, describe, expect, it, vi } from 'vitest';
import { openKnowledge, pages } from './knowledge-fixture.ts';

type Fixture = Awaited<ReturnType<typeof openKnowledge>>;
let fixture: Fixture;
afterEach(() => fixture.close());

const RETURNS = `<!doctype html><title>Returns – Shop</title><nav>Home Shop Basket</nav>
  <main><h1>Returns</h1><p>You may send a chair back within 60 days of delivery. We pay the postage for that.</p></main>`;

describe('learning', () => {
  it('makes a page searchable, and stores its title, size and tokens', async () => {
    fixture = await openKnowledge(pages({ '/returns': RETURNS }));
    const source = await fixture.ingest('/returns');
    expect(source).toMatchObject({ status: 'success', title: 'Returns – Shop', file_size: Buffer.byteLength(RETURNS) });
    expect(source.tokens).toBeGreaterThan(10);
    const [first, ...others] = await fixture.search('how do I send a chair back?');
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      source: { uuid: source.uuid, title: 'Returns – Shop', file_name: source.file_name, type: 'link' },
      headings: ['Returns'],
      text: 'You may send a chair back within 60 days of delivery. We pay the postage for that.',
    });
    const document = (await fixture.store.document(source.uuid))!;
    for (const { start, end } of document.passages) expect(document.text.slice(start, end)).toBe(first!.text);
  });

  it('finds a passage under the same entry until its chatbot is dropped', async () => {
    fixture = await openKnowledge(pages({ '/returns': RETURNS }));
    await fixture.ingest('/returns');
    const found = async () => (await fixture.search('how do I send a chair back?'))[0]?.entry;
    const entry = await found();
    expect(entry).toBeTypeOf('object');
    expect(await found()).toBe(entry);
    fixture.knowledge.removeChatbot(fixture.chatbot);
    expect(await found()).not.toBe(entry);
  });

  it('goes through each status, and modified_at moves with every step', async () => {
    fixture = await openKnowledge(pages({ '/returns': RETURNS }), () => Date.parse('2026-03-01T00:00:00Z'));
    const seen: string[] = [];
    const update = fixture.store.updateSource.bind(fixture.store);
    vi.spyOn(fixture.store, 'updateSource').mockImplementation(async (uuid, change) => {
      const source = await update(uuid, change);
      if (source) seen.push(`${source.status} ${source.modified_at.slice(17, 19)}`);
      return source;
    });
    await fixture.ingest('/returns');
    expect(seen).toEqual(['chunking 00', 'embedding 01', 'success 02']);
  });

  it('says in the status what is wrong with a page, and learns the others', async () => {
    fixture = await openKnowledge((request, response) => {
      const { url = '' } = request;
      if (url === '/good') return pages({ '/good': RETURNS })(request, response);
      if (url === '/image') return response.writeHead(200, { 'content-type': 'image/png' }).end('x');
      if (url === '/empty') return response.writeHead(200, { 'content-type': 'text/html' }).end('<nav>Home</nav>');
      if (url === '/broken') return response.writeHead(500).end();
      return response.writeHead(404).end();
    });
    const paths = ['/missing', '/image', '/empty', '/broken', 'http://10.0.0.1/', 'nonsense:', '/good'];
    const statuses = await Promise.all(paths.map(async (path) => (await fixture.ingest(path)).status));
    expect(statuses).toEqual([
      'error:not found',
      'error:content type',
      'error:no text',
      'error:download',
      'error:blocked address',
      'error:blocked address',
      'success',
    ]);
    expect(await fixture.search('chair')).toHaveLength(1);
  });

  it('says what the owner can do about it, where the status does not, until it is learned', async () => {
    let body = `a,b\n${','.repeat(300_000)}`;
    fixture = await openKnowledge((_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(body));
    const reason = ({ meta_json }: { meta_json: string }) => (JSON.parse(meta_json) as { reason?: string }).reason;
    expect(reason(await fixture.ingest('http://10.0.0.1/'))).toContain('FETCH_ALLOW');
    const table = await fixture.ingest('/table');
    expect(table.status).toBe('error:content type');
    expect(reason(table)).toContain('a row of more than 200000 characters');
    body = `a,b\n${'1,2\n'.repeat(20_001)}`;
    await fixture.knowledge.reingest(table.uuid);
    const long = await fixture.ended(table.uuid);
    expect([long.status, reason(long)]).toEqual(['success', 'only the first 20000 rows are read']);
    body = 'a,b\n1,2\n';
    await fixture.knowledge.reingest(table.uuid);
    expect(reason(await fixture.ended(table.uuid))).toBeUndefined();
  });

  it('replaces the passages of a changed page, and removes those of a page that is gone', async () => {
    const bodies: Record<string, string> = { '/a': '<p>The museum opens at nine on weekdays.</p>' };
    fixture = await openKnowledge((request, response) => pages(bodies)(request, response));
    const found = async (query: string) => (await fixture.search(query)).map(({ text }) => text);
    const source = await fixture.ingest('/a');
    expect(await found('museum')).toEqual(['The museum opens at nine on weekdays.']);
    const meta = async () => JSON.parse((await fixture.store.source(source.uuid))!.meta_json) as object;
    expect(await meta()).toEqual({ passages: 1 });

    bodies['/a'] = '<p>The museum is closed until the spring.</p>';
    await fixture.knowledge.ingest(source);
    await vi.waitFor(async () => expect(await found('museum')).toEqual(['The museum is closed until the spring.']));

    delete bodies['/a'];
    await fixture.ended(source.uuid);
    await fixture.knowledge.ingest((await fixture.store.source(source.uuid))!);
    await vi.waitFor(async () => expect((await fixture.store.source(source.uuid))?.status).toBe('error:not found'));
    expect(await found('museum')).toEqual([]);
    expect((await fixture.store.document(source.uuid))?.passages).toEqual([]);
    expect(await meta()).toEqual({});
  });

  it('keeps the passages of a page that cannot be reached', async () => {
    let down = false;
    fixture = await openKnowledge((request, response) => {
      if (down) return response.writeHead(503).end();
      return pages({ '/a': RETURNS })(request, response);
    });
    const source = await fixture.ingest('/a');
    down = true;
    await fixture.knowledge.ingest(source);
    await vi.waitFor(async () => expect((await fixture.store.source(source.uuid))?.status).toBe('error:download'));
    expect(await fixture.search('chair')).toHaveLength(1);
  });

  it('cuts a very long title to the same length everywhere, and updates it with the page', async () => {
    const bodies = {
      '/a': `<title>${'Returns '.repeat(5000)}</title><main>${'<p>You may send a chair back.</p>'.repeat(500)}`,
    };
    fixture = await openKnowledge((request, response) => pages(bodies)(request, response));
    const source = await fixture.ingest('/a');
    expect(source.title).toHaveLength(300);
    expect((await fixture.store.document(source.uuid))!.title).toBe(source.title);
    bodies['/a'] = RETURNS;
    await fixture.knowledge.reingest(source.uuid);
    expect((await fixture.ended(source.uuid)).title).toBe('Returns – Shop');
  });

  it('keeps the title that the owner gave', async () => {
    const bodies = { '/a': RETURNS };
    fixture = await openKnowledge((request, response) => pages(bodies)(request, response));
    const source = await fixture.ingest('/a');
    await fixture.store.updateSource(source.uuid, (record) => ({ ...record, title: 'Sending back' }));
    bodies['/a'] = RETURNS.replace('Returns – Shop', 'New title');
    await fixture.knowledge.ingest((await fixture.store.source(source.uuid))!);
    await vi.waitFor(async () => {
      const now = (await fixture.store.source(source.uuid))!;
      expect(now).toMatchObject({ status: 'success', title: 'Sending back' });
      expect(now.file_size).not.toBe(source.file_size);
    });
  });

  it('shows the title that the owner gave while the page was put in', async () => {
    fixture = await openKnowledge(pages({ '/a': RETURNS }));
    await fixture.search('chair');
    const put = fixture.store.putDocument.bind(fixture.store);
    vi.spyOn(fixture.store, 'putDocument').mockImplementation(async (uuid, document) => {
      const done = await put(uuid, document);
      const renamed = await fixture.store.updateSource(uuid, (record) => ({ ...record, title: 'Sending back' }));
      await fixture.knowledge.rename(renamed!);
      return done;
    });
    expect((await fixture.ingest('/a')).title).toBe('Sending back');
    const titles = async () => (await fixture.search('chair')).map(({ source }) => source.title);
    await vi.waitFor(async () => expect(await titles()).toEqual(['Sending back']));
  });

  it('leaves nothing of a source that is deleted while it is fetched', async () => {
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    let answer = () => {};
    fixture = await openKnowledge((request, response) => {
      if (request.url !== '/slow') return pages({ '/other': RETURNS })(request, response);
      answer = () => pages({ '/slow': RETURNS })(request, response);
      arrived();
    });
    const source = await fixture.add('/slow');
    await fixture.knowledge.ingest(source);
    await asked;
    await fixture.store.deleteSource(source.uuid);
    fixture.knowledge.removeSource(fixture.chatbot, source.uuid);
    answer();
    await fixture.ingest('/other');
    expect((await fixture.search('chair')).map((found) => found.source.file_name)).toEqual([
      `${fixture.site.origin}/other`,
    ]);
    expect(await fixture.store.document(source.uuid)).toBeUndefined();
  });

  it('leaves nothing of a source that was deleted from the store alone', async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let go = () => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    fixture = await openKnowledge(async (request, response) => {
      answer();
      await gone;
      pages({ '/slow': RETURNS })(request, response);
    });
    const source = await fixture.add('/slow');
    await fixture.knowledge.ingest(source);
    await asked;
    await fixture.store.deleteSource(source.uuid);
    go();
    await fixture.knowledge.close();
    expect(await fixture.store.source(source.uuid)).toBeUndefined();
    expect(await fixture.store.document(source.uuid)).toBeUndefined();
  });

  it('asks one host for two pages at once and no more', async () => {
    let now = 0;
    let most = 0;
    fixture = await openKnowledge((request, response) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        response.writeHead(200, { 'content-type': 'text/plain' }).end(`Page ${request.url} has a sentence of its own.`);
      }, 15);
    });
    const sources = await Promise.all(Array.from({ length: 8 }, (_, n) => fixture.ingest(`/${n}`)));
    expect(sources.map(({ status }) => status)).toEqual(Array(8).fill('success'));
    expect(most).toBe(2);
  });

  it('ends with close, and leaves the source to the next start', async () => {
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    fixture = await openKnowledge(() => arrived());
    const source = await fixture.add('/never');
    await fixture.knowledge.ingest(source);
    await asked;
    await fixture.knowledge.close();
    expect((await fixture.store.unfinishedSources()).map(({ uuid }) => uuid)).toEqual([source.uuid]);
  });

  it('reads the charset that the header, the page or the bytes tell', async () => {
    const text = 'Öffnungszeiten für das Café';
    const latin = Buffer.from(text, 'latin1');
    fixture = await openKnowledge(({ url }, response) => {
      const head = { 'content-type': url === '/header' ? 'text/html; charset=iso-8859-1' : 'text/html' };
      const bodies: Record<string, Buffer> = {
        '/header': latin,
        '/meta': Buffer.concat([Buffer.from('<meta charset=iso-8859-1>'), latin]),
        '/guess': latin,
        '/utf8': Buffer.from(text),
        '/mark': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
        '/wrong': Buffer.concat([Buffer.from('<meta charset=martian>'), Buffer.from(text)]),
      };
      response.writeHead(200, head).end(bodies[url!]);
    });
    for (const path of ['/header', '/meta', '/guess', '/utf8', '/mark', '/wrong']) {
      const source = await fixture.ingest(path);
      expect((await fixture.store.document(source.uuid))?.text, path).toBe(text);
    }
  });
});

describe('search', () => {
  it('finds after a restart what was learned before it', async () => {
    fixture = await openKnowledge(pages({ '/returns': RETURNS }));
    await fixture.ingest('/returns');
    fixture.knowledge.removeChatbot(fixture.chatbot);
    expect(await fixture.search('chair')).toHaveLength(1);
    await fixture.store.deleteChatbot(fixture.chatbot);
    fixture.knowledge.removeChatbot(fixture.chatbot);
    expect(await fixture.search('chair')).toEqual([]);
  });

  it('drops an idle index, and rebuilds it for the next question', async () => {
    let now = Date.parse('2026-03-01T00:00:00Z');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    fixture = await openKnowledge(pages({ '/returns': RETURNS }), () => now);
    await fixture.ingest('/returns');
    const read = vi.spyOn(fixture.store, 'document');
    await fixture.search('chair');
    await fixture.search('chair');
    expect(read).toHaveBeenCalledTimes(1);
    now += 61_000;
    vi.advanceTimersByTime(61_000);
    expect(await fixture.search('chair')).toHaveLength(1);
    expect(read).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  it('takes a follow-up together with the question before it', async () => {
    fixture = await openKnowledge(
      pages({
        '/a': '<h1>Delivery to Spain</h1><p>Parcels to Spain take six days.</p>',
        '/b': '<h1>Taxes in Spain</h1><p>In Spain the tax is 21 %.</p>',
      }),
    );
    await fixture.ingest('/a');
    await fixture.ingest('/b');
    const first = async (query: string, earlier: string[]) => (await fixture.search(query, { earlier }))[0]?.text;
    expect(await first('and for Spain?', ['How long does delivery to France take?'])).toMatch(/six days/);
    expect(await first('and for Spain?', ['What tax do I pay in France?'])).toMatch(/21 %/);
  });

  it('takes for no follow-up what asks in a sentence of its own for something that the site has', async () => {
    fixture = await openKnowledge(
      pages({
        '/a': '<h1>Washing</h1><p>Wash the jacket and the trousers at 40 degrees. Use no hot dryer for the jacket.</p>',
        '/b': '<h1>Clothes</h1><p>We have hats for £12 and scarves for £9.</p>',
      }),
    );
    await fixture.ingest('/a');
    await fixture.ingest('/b');
    const found = async (query: string) =>
      (await fixture.search(query, { earlier: ['May the jacket go into a hot dryer?'] })).map(({ text }) => text);
    expect(await found('which hats do you have')).toEqual([expect.stringContaining('£12')]);
    expect((await found('Which hats can I pay for?'))[0]).toContain('£12');
    expect(await found('are there scarves?')).toEqual([expect.stringContaining('£9')]);
    // A word alone may go on with the question before it.
    expect(await found('trousers?')).toHaveLength(1);
    expect(await found('hats?')).toHaveLength(2);
  });

  it('takes for no follow-up what asks who answers, or has no word', async () => {
    fixture = await openKnowledge(pages({ '/a': '<h1>Delivery to Spain</h1><p>Parcels to Spain take six days.</p>' }));
    await fixture.ingest('/a');
    const found = async (query: string) =>
      (await fixture.search(query, { earlier: ['How long do parcels to Spain take?'] })).length;
    for (const query of ['Who are you?', 'what are you really', 'Are you a bot?', 'What can you do?', '???', '🙂']) {
      expect(await found(query), query).toBe(0);
    }
    expect(await found('What is your name?')).toBe(0);
    const followUps = [
      'Why?',
      'How much?',
      'And for Spain?',
      'When?',
      'Which do you have?',
      'And what can you do then?',
    ];
    for (const query of [...followUps, 'Are you sure?', 'Can you tell me more?', 'How are you measuring it?']) {
      expect(await found(query), query).toBe(1);
    }
  });

  it('returns at most `limit` passages, and none for a query without words', async () => {
    const paragraphs = Array.from(
      { length: 12 },
      (_, n) => `<h2>Part ${n}</h2><p>Chapter ${n} is about the lighthouse.</p>`,
    );
    fixture = await openKnowledge(pages({ '/a': paragraphs.join('') }));
    await fixture.ingest('/a');
    expect(await fixture.search('lighthouse')).toHaveLength(8);
    expect(await fixture.search('lighthouse', { limit: 3 })).toHaveLength(3);
    for (const query of ['', '???', 'what is it', '🙂', '\u0000']) {
      expect(await fixture.search(query), query).toEqual([]);
    }
  });
});
