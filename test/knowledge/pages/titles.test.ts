import { describe, expect, it } from 'vitest';
import { contentOfSource } from '../../../server/knowledge/ingest/content.ts';
import type { Store } from '../../../server/store/store.ts';
import type { Web } from '../../../server/web/web.ts';
import { aSource } from '../../store/records.ts';
import { docx, paragraph, pdf } from '../office-files.ts';

/** The title of an upload of this name, as visitors see it. */
async function titleOf(name: string, bytes: Uint8Array | string): Promise<string> {
  const store = { file: async () => Buffer.from(bytes), chatbot: async () => ({ owner: 'one' }) } as unknown as Store;
  const source = aSource('0'.repeat(32), { type: 'upload', file_name: name });
  const material = await contentOfSource({ store, web: {} as Web }, source, {}, new AbortController().signal);
  return (await (await material.parse()).document()).document.title;
}

const JUNK = [
  'about:blank',
  'untitled',
  'Untitled-2',
  'Untitled document',
  'Microsoft Word - plan.docx',
  'Microsoft Word - Plan of the museum.doc',
  'Microsoft Word - Document1',
  'Document',
  'PowerPoint Presentation',
  'https://museum.example/plan?print=1',
  'museum.example/plan',
  '127.0.0.1:4810/plan.html',
  'C:\\Users\\jo\\Desktop\\floor plan.docx',
  '/home/jo/floor plan.tex',
  'file:///home/jo/plan.html',
  'plan_final.indd',
];
const TITLES = [
  'Plan of the museum',
  'Untitled: the art of naming',
  'Booking.com',
  'The documents that you need',
  'How to convert .doc to .pdf',
  'About: the museum',
  'TCP/IP explained',
  'Read/write access',
  '/dev/null and other files',
];
const LINES = ['Floor plan', '', 'The lift is beside the foyer, and so are the lockers.'];

describe('a title that names nothing gives way to the first heading', () => {
  it.each(JUNK)('%s', async (title) => {
    expect(await titleOf('upload.pdf', pdf([LINES], { title: title.replaceAll('\\', '\\\\') }))).toBe('Floor plan');
    const body = `<body><h1>Floor plan</h1><p>${LINES[2]}</p></body>`;
    expect(await titleOf('upload.html', `<title>${title}</title>${body}`)).toBe('Floor plan');
    const headed = paragraph(title, 'Title') + paragraph('Floor plan', 'Heading1') + paragraph(LINES[2]!);
    expect(await titleOf('upload.docx', docx(headed))).toBe('Floor plan');
  });
});

describe('a title that names something stays', () => {
  it.each(TITLES)('%s', async (title) => {
    expect(await titleOf('upload.pdf', pdf([LINES], { title }))).toBe(title);
    const body = `<body><h1>Floor plan</h1><p>${LINES[2]}</p></body>`;
    expect(await titleOf('upload.html', `<title>${title}</title>${body}`)).toBe(title);
  });
});

it('is the name of the file where there is no heading either', async () => {
  expect(await titleOf('lift.pdf', pdf([[LINES[2]!]], { title: 'about:blank' }))).toBe('lift.pdf');
  expect(await titleOf('lift.html', `<title>about:blank</title><p>${LINES[2]}</p>`)).toBe('lift.html');
  expect(await titleOf('lift.docx', docx(paragraph(LINES[2]!)))).toBe('lift.docx');
});
