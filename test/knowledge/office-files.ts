import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Files as office programs and printers write them, made by hand: as little as their readers need. */

export interface Entry {
  name: string;
  content: string | Buffer;
  /** Bytes that it claims to unpack to; the truth where this is absent. */
  claims?: number;
  /** What stands in the archive instead of the content, packed. */
  packed?: Buffer;
}

export function zip(entries: Entry[]): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, claims, packed = deflateRawSync(content) } of entries) {
    const plain = Buffer.from(content);
    // Version, flags, deflate, time and date; then the fields that the directory repeats.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims ?? plain.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name));
    parts.push(local);
    at += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, index, Buffer.from('PK\x05\x06'), end]);
}

/** Zeros, that many times a megabyte, packed a thousandfold. */
export function bomb(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH });
  return Buffer.concat([...Array<Buffer>(megabytes).fill(block), Buffer.from([3, 0])]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;

const rootRelation = (target: string): Entry => ({
  name: '_rels/.rels',
  content: `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="${target}"/></Relationships>`,
});

/** A paragraph of a text document, in a style such as `Heading1`. */
export const paragraph = (text: string, style = ''): string =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

export function docx(body: string, more: Entry[] = []): Buffer<ArrayBuffer> {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const style = (id: string, name: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const styles = style('Heading1', 'heading 1') + style('Heading2', 'heading 2') + style('Title', 'Title');
  return zip([
    { name: '[Content_Types].xml', content: TYPES },
    rootRelation('word/document.xml'),
    { name: 'word/document.xml', content: `${XML}<w:document ${space}><w:body>${body}</w:body></w:document>` },
    { name: 'word/styles.xml', content: `${XML}<w:styles ${space}>${styles}</w:styles>` },
    ...more,
  ]);
}

/** By name; rows of numbers and text. */
type Sheets = Record<string, (string | number)[][]>;

export const xlsx = (sheets: Sheets): Buffer<ArrayBuffer> => zip(xlsxEntries(sheets));

export function xlsxEntries(sheets: Sheets): Entry[] {
  const space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const names = Object.keys(sheets);
  const named = names.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="s${n + 1}"/>`).join('');
  const relations = names.map(
    (_, n) => `<Relationship Id="s${n + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`,
  );
  return [
    { name: '[Content_Types].xml', content: TYPES },
    rootRelation('xl/workbook.xml'),
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook ${space} xmlns:r="${OFFICE}"><sheets>${named}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${XML}<Relationships xmlns="${RELATIONS}">${relations.join('')}</Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', content: `${XML}<sst ${space}/>` },
    { name: 'xl/styles.xml', content: `${XML}<styleSheet ${space}/>` },
    ...Object.values(sheets).map((rows, n) => ({
      name: `xl/worksheets/sheet${n + 1}.xml`,
      content: `${XML}<worksheet ${space}><sheetData>${rows.map(sheetRow).join('')}</sheetData></worksheet>`,
    })),
  ];
}

function sheetRow(cells: (string | number)[], row: number): string {
  const written = cells.map((cell, column) => {
    const place = `${String.fromCharCode(65 + column)}${row + 1}`;
    return typeof cell === 'number'
      ? `<c r="${place}"><v>${cell}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${row + 1}">${written.join('')}</row>`;
}

/** Pages as lists of lines, an empty one between paragraphs, or packed as zlib has it; `trailer` adds to the file's last dictionary. */
export function pdf(pages: (string[] | Buffer)[], { title = '', trailer = '' } = {}): Buffer<ArrayBuffer> {
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((lines, n) => {
      const font = '/Resources << /Font << /F 3 0 R >> >> /MediaBox [0 0 600 800]';
      return [`<< /Type /Page /Parent 2 0 R ${font} /Contents ${5 + 2 * n} 0 R >>`, contents(lines)];
    }),
    `<< /Title (${title}) >>`,
  ];
  return file(objects, `/Root 1 0 R /Info ${objects.length} 0 R ${trailer}`);
}

function contents(lines: string[] | Buffer): string {
  if (Buffer.isBuffer(lines)) {
    return `<< /Filter /FlateDecode /Length ${lines.length} >>\nstream\n${lines.toString('latin1')}\nendstream`;
  }
  const shown = lines.map((line) => (line ? `(${line}) Tj T*` : 'T*')).join('\n');
  const stream = `BT /F 12 Tf 14 TL 50 750 Td\n${shown}\nET`;
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}

function file(objects: string[], trailer: string): Buffer<ArrayBuffer> {
  let text = '%PDF-1.4\n';
  const places = objects.map((object, n) => {
    const place = text.length;
    text += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, 'latin1');
}
