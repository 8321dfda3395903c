import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadlineOf } from '../../server/knowledge/readers/parser-process.ts';
import { contentOfSource } from '../../server/knowledge/ingest/content.ts';
import type { Store } from '../../server/store/store.ts';
import type { Web } from '../../server/web/web.ts';
import { aSource } from '../store/records.ts';
import { openKnowledge } from './knowledge-fixture.ts';
import { bomb, docx, paragraph, pdf, xlsx, zip } from './office-files.ts';

/** Reads an upload of this name, as learning does. */
async function read(name: string, bytes: Uint8Array | string, signal = new AbortController().signal, owner = 'one') {
  const store = { file: async () => Buffer.from(bytes), chatbot: async () => ({ owner }) } as unknown as Store;
  const source = aSource('0'.repeat(32), { type: 'upload', file_name: name });
  const material = await contentOfSource({ store, web: {} as Web }, source, {}, signal);
  return (await (await material.parse()).document()).document;
}

/** Each passage as `heading > heading | text`. */
async function passages(name: string, bytes: Uint8Array | string): Promise<string[]> {
  const { text, passages: found } = await read(name, bytes);
  return found.map(({ headings, start, end }) => [headings.join(' > '), text.slice(start, end)].join(' | '));
}

describe('a PDF', () => {
  it('is read page by page, each passage under the number of its page', async () => {
    const bytes = pdf(
      [
        ['The lamps of our shop are made by hand in the har-', 'bour of Zembla.', '', 'Each takes nine days.'],
        ['We send them back within sixty days.'],
      ],
      { title: 'Microsoft Word - Lamps of Zembla' },
    );
    expect((await read('lamps.pdf', bytes)).title).toBe('Lamps of Zembla');
    expect(await passages('lamps.pdf', bytes)).toEqual([
      'Page 1 | The lamps of our shop are made by hand in the harbour of Zembla.\n\nEach takes nine days.',
      'Page 2 | We send them back within sixty days.',
    ]);
  });
});

describe('a text document', () => {
  it('keeps headings and tables', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const body =
      paragraph('Lamps of Zembla', 'Title') +
      paragraph('Returns', 'Heading1') +
      paragraph('Send a lamp back within sixty days.') +
      `<w:tbl><w:tr>${cell('Europe')}${cell('9 crowns')}</w:tr></w:tbl>`;
    expect((await read('lamps.docx', docx(body))).title).toBe('Lamps of Zembla');
    expect(await passages('lamps.docx', docx(body))).toEqual([
      'Returns | Send a lamp back within sixty days.\n- Europe: 9 crowns',
    ]);
  });
});

describe('a table', () => {
  it('as a workbook is read sheet by sheet, each row a passage with the names of its columns', async () => {
    const bytes = xlsx({
      Prices: [['Prices of lamps in crowns'], ['Lamp', 'Price'], ['Harbour', 90.5], ['Sky', 0.1 + 0.2]],
      Sizes: [
        ['Harbour', 12],
        ['Sky', 15],
      ],
    });
    expect(await passages('lamps.xlsx', bytes)).toEqual([
      'Prices | Prices of lamps in crowns',
      'Prices | Lamp: Harbour; Price: 90.5',
      'Prices | Lamp: Sky; Price: 0.3',
      'Sizes | Harbour: 12',
      'Sizes | Sky: 15',
    ]);
  });

  it.each([
    ['commas', 'Lamp,Price\nHarbour,"90,50"\n\nSky,80\n'],
    ['semicolons, and the mark of some programs', '\ufeffLamp;Price\r\nHarbour;90,50\r\nSky;80\r\n'],
    ['tabs', 'Lamp\tPrice\nHarbour\t90,50\nSky\t80\textra'],
  ])('as text may be cut by %s', async (_, text) => {
    const found = await passages('lamps.csv', text);
    expect(found.slice(0, 1)).toEqual([' | Lamp: Harbour; Price: 90,50']);
    expect(found[1]).toMatch(/^ \| Lamp: Sky; Price: 80(?:; extra)?$/);
    expect(found).toHaveLength(2);
  });
});

describe('a file with nothing to read', () => {
  const locked =
    '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <' +
    '41'.repeat(32) +
    '> /U <' +
    '42'.repeat(32) +
    '> >> /ID [<61> <61>]';
  const envelope = Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(600),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ]);
  it.each([
    ['a scanned PDF', 'a.pdf', pdf([[], []]), 'no text'],
    ['a PDF with a password', 'a.pdf', pdf([['Secret']], { trailer: locked }), 'no text'],
    ['a document with a password', 'a.docx', envelope, 'no text'],
    ['an empty document', 'a.docx', docx(''), 'no text'],
    ['an empty workbook', 'a.xlsx', xlsx({ Sheet1: [] }), 'no text'],
    ['an empty table', 'a.csv', '\n', 'no text'],
    ['a file of no bytes', 'a.pdf', '', 'content type'],
    ['a text called a PDF', 'a.pdf', 'The sky is green.', 'content type'],
    ['half a workbook', 'a.xlsx', xlsx({ A: [['b', 'c']] }).subarray(0, 300), 'content type'],
    ['an archive of other things', 'a.docx', zip([{ name: 'a.txt', content: 'words' }]), 'content type'],
    ['an old document', 'a.docx', Buffer.concat([envelope.subarray(0, 500)]), 'content type'],
    ['a workbook called a table', 'a.csv', xlsx({ A: [['b', 'c']] }), 'content type'],
    ['a table with a quotation mark that never ends', 'a.csv', `a,b\n"${'word '.repeat(60_000)}`, 'content type'],
  ])('says so: %s', async (_, name, bytes, reason) => {
    await expect(read(name, bytes)).rejects.toMatchObject({ reason });
  });
});

describe('an address', () => {
  it.each([
    ['application/pdf', pdf([['The ferry of Zembla is blue.']]), ['Page 1']],
    ['text/csv; charset=iso-8859-1', Buffer.from('Was,Farbe\nFähre,blau', 'latin1'), []],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', docx(paragraph('Words.')), []],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', xlsx({ A: [['Ferry', 'blue']] }), ['A']],
  ])('that answers with %s is read', async (type, body, headings) => {
    const fixture = await openKnowledge((_, response) => void response.setHeader('content-type', type).end(body));
    try {
      const { uuid, status } = await fixture.ingest('/file');
      expect(status).toBe('success');
      expect((await fixture.store.document(uuid))!.passages).toMatchObject([{ headings }]);
    } finally {
      await fixture.close();
    }
  });
});

describe('a file that is too much', () => {
  it('claims to unpack to more than anybody wrote', async () => {
    const bytes = zip([{ name: 'xl/workbook.xml', content: 'x', claims: 200 * 1024 * 1024 }]);
    await expect(read('a.xlsx', bytes)).rejects.toThrow('unpacks to more than');
  });

  it('unpacks to more than it claims: its process ends, ours does not notice', { timeout: 60_000 }, async () => {
    const before = process.memoryUsage.rss();
    const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), bomb(4000)]);
    await expect(read('a.pdf', pdf([packed]))).rejects.toThrow('too much memory');
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('in pages, rows and columns is read as far as the bounds', { timeout: 60_000 }, async () => {
    const line = (n: number) => [`Lamp ${n}`, ...Array.from({ length: 300 }, (_, at) => `v${at}`)].join(',');
    const text = `${line(0)}\n${Array.from({ length: 300 }, (_, n) => line(n)).join('\n')}\n${'a,b\n'.repeat(30_000)}`;
    const found = (await read('a.csv', text)).passages;
    expect(found).toHaveLength(19_999);
    const pages = Array.from({ length: 2010 }, (_, n) => [`This is the text of page number ${n + 1}.`]);
    const { text: told, passages: read2000 } = await read('a.pdf', pdf(pages));
    expect(read2000).toHaveLength(2000);
    expect(told.endsWith('This is the text of page number 2000.')).toBe(true);
  });
});

/** The longest time of the processor without a turn for others, as a share of all of it. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  const state = { going: true };
  const ended = work.finally(() => (state.going = false));
  let longest = 0;
  const begin = process.cpuUsage();
  for (let before = process.cpuUsage(); state.going; before = process.cpuUsage()) {
    await setTimeout(1);
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
  }
  await ended;
  const { user, system } = process.cpuUsage(begin);
  return longest / ((user + system) / 1000);
}

describe('while a file is read', () => {
  it('everybody else gets a turn', { timeout: 60_000 }, async () => {
    const sentence = 'The ferry to the harbour of Zembla leaves at nine on weekdays.';
    const row = ['Lamp', 9, sentence, sentence];
    const book = xlsx({ All: Array.from({ length: 20_000 }, () => row) });
    const document = docx(paragraph(sentence.repeat(4)).repeat(10_000));
    const readings = Promise.all([read('a.xlsx', book), read('a.docx', document)]);
    expect(await longestTurn(readings)).toBeLessThan(0.25);
  });

  it('another user’s file need not wait for all of one user’s', { timeout: 60_000 }, async () => {
    const pages = Array.from({ length: 500 }, () => Array<string>(50).fill('A line of words that go on and on.'));
    const ended: string[] = [];
    const file = pdf(pages);
    const many = Array.from({ length: 5 }, (_, at) => read('a.pdf', file).then(() => ended.push(`one ${at}`)));
    await setTimeout(50);
    const other = read('a.docx', docx(paragraph('Send a lamp back within sixty days.')), undefined, 'other');
    await Promise.all([...many, other.then(() => ended.push('other'))]);
    expect(ended.indexOf('other')).toBeLessThan(4);
  });

  it('a small one has 20 seconds, a large one more, none more than two minutes', () => {
    expect([3600, 1024 ** 2, 10 * 1024 ** 2, 50 * 1024 ** 2].map(deadlineOf)).toEqual([
      20_000, 25_000, 70_000, 120_000,
    ]);
  });

  it('it can be called off, and the next one need not wait', async () => {
    const stop = new AbortController();
    const pages = Array.from({ length: 2000 }, () => Array<string>(100).fill('A line of words that go on and on.'));
    const first = read('a.pdf', pdf(pages), stop.signal);
    const second = read('a.docx', docx(paragraph('Send a lamp back within sixty days.')));
    globalThis.setTimeout(() => stop.abort(new Error('called off')), 300);
    await expect(first).rejects.toThrow('called off');
    await expect(second).resolves.toMatchObject({ passages: [{}] });
  });
});
