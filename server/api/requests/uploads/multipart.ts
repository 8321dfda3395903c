import busboy from 'busboy';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import * as Type from 'typebox';
import { invalid, Refusal } from '../../../schema/errors.ts';
import { isReadableFile } from '../../../knowledge/readers/readers.ts';
import { validate } from '../../../schema/validate.ts';
import { NewFileSource } from '../bodies.ts';

export const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_NAME_CHARS = 255;
/** Of a multipart body around its file, its text parts included. */
const MAX_OVERHEAD_BYTES = 1024 * 1024;

const Reference = Type.Pick(NewFileSource, ['reference_source_link']);

type FileRead = Omit<UploadedFile, 'reference' | 'parts'>;

export interface UploadedFile {
  /** Without folders. */
  name: string;
  bytes: Buffer;
  /** SHA-256, hex. */
  hash: string;
  reference: string | undefined;
  /** The names of all parts. */
  parts: string[];
}

/** Reads the file and the texts of a multipart/form-data body. Refuses at the first fault and discards the rest. */
export async function readUpload(request: IncomingMessage): Promise<UploadedFile> {
  const form = createParser(request);
  try {
    return await new Promise<UploadedFile>((resolve, reject) => collect(request, form, resolve, reject));
  } finally {
    request.unpipe(form);
    form.destroy();
    // Drains the rest: most clients read the reply only after they have sent the whole body.
    request.resume();
  }
}

function createParser(request: IncomingMessage): busboy.Busboy {
  if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal('unsupported_media_type', 'the body must be multipart/form-data');
  }
  if (Number(request.headers['content-length']) > MAX_FILE_BYTES + MAX_OVERHEAD_BYTES) throw tooLarge();
  try {
    // busboy reports `limit` for a file that reaches it: one byte more lets a file of the full size pass.
    const limits = { fileSize: MAX_FILE_BYTES + 1, fieldSize: 64 * 1024, fields: 100, parts: 200, fieldNameSize: 200 };
    return busboy({ headers: request.headers, defParamCharset: 'utf8', limits });
  } catch (error) {
    throw malformed(error);
  }
}

const tooLarge = (): Refusal => new Refusal('too_large', 'the file is larger than 50 MB', { field: 'file' });

const malformed = (cause?: unknown): Refusal =>
  new Refusal('bad_request', 'the body is not whole multipart/form-data', { cause });

function collect(
  request: IncomingMessage,
  form: busboy.Busboy,
  resolve: (file: UploadedFile) => void,
  reject: (error: unknown) => void,
): void {
  let file: Promise<FileRead> | undefined;
  let reference: string | undefined;
  const parts: string[] = [];

  form.on('file', (field, stream, { filename, mimeType }) => {
    parts.push(field);
    stream.on('error', () => {});
    stream.on('limit', () => reject(tooLarge()));
    if (field !== 'file') return void stream.resume();
    if (file) return reject(invalid('file', 'file must be one file; send others by themselves'));
    file = readFile(stream, filename ?? '', mimeType);
    file.catch(reject);
  });
  form.on('field', (field, value) => {
    parts.push(field);
    if (field === 'reference_source_link') reference = value;
  });
  form.on('error', (error) => reject(malformed(error)));
  form.on('close', () => {
    if (!file) return reject(invalid('file', 'file is required: a part with a file and its name'));
    return void file.then((read) => resolve({ ...read, reference: checkedReference(reference), parts })).catch(reject);
  });
  if (request.destroyed) reject(malformed());
  request.on('aborted', () => reject(malformed()));
  request.on('error', (error) => reject(malformed(error)));
  request.pipe(form);
}

/** Validates the part with the schema of the JSON field. */
const checkedReference = (reference: string | undefined): string | undefined =>
  reference === undefined ? undefined : validate(Reference, { reference_source_link: reference }).reference_source_link;

const READABLE_FILES = 'send a txt, md, tex, html, pdf, docx, csv or xlsx file';
const OLD_WORKBOOK = 'save the workbook as .xlsx and send that';

async function readFile(stream: Readable, name: string, mediaType: string): Promise<FileRead> {
  checkName(name);
  if (!isReadableFile(name, mediaType)) {
    const remedy = /\.xls$/i.test(name) || mediaType === 'application/vnd.ms-excel' ? OLD_WORKBOOK : READABLE_FILES;
    throw new Refusal('bad_request', `file type not allowed: ${remedy}`, { field: 'file' });
  }
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  for await (const part of stream as AsyncIterable<Buffer>) {
    hash.update(part);
    parts.push(part);
  }
  return { name, bytes: Buffer.concat(parts), hash: hash.digest('hex') };
}

function checkName(name: string): void {
  if (name === '') throw invalid('file', 'file must have a name');
  if ([...name].length > MAX_NAME_CHARS)
    throw invalid('file', `file must have a name of at most ${MAX_NAME_CHARS} characters`);
  if (name.includes('\0') || !name.isWellFormed()) throw invalid('file', 'file must have a name of well-formed text');
}
