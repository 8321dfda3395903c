import type { Context } from 'koa';
import { nameUnknownFields } from '../../../http/body.ts';
import { newSource } from '../../../knowledge/ingest/new-source.ts';
import { timestamp } from '../../../schema/ids.ts';
import { DataSource } from '../../../schema/records.ts';
import type { StoredSource } from '../../../store/store.ts';
import { NewFileSource } from '../../requests/bodies.ts';
import { readUpload, type UploadedFile } from '../../requests/uploads/multipart.ts';
import { createUploadCapacity } from '../../requests/uploads/upload-capacity.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../../requests/operation.ts';
import type { NewRecord } from '../../requests/new-record.ts';
import { addSource, checkReference } from './sources.ts';

export const uploads = ({ store, knowledge, clock, log }: ApiDeps): Operation[] => {
  const capacity = createUploadCapacity();

  async function addFile(
    chatbot: string,
    { name, bytes, hash, reference }: UploadedFile,
    { ctx, record }: { ctx: Context; record: NewRecord },
  ): Promise<unknown> {
    const origin = { chatbot, type: 'upload' as const, title: name, file_name: name, identity: hash };
    const source: StoredSource = { ...newSource(origin, timestamp(clock), reference), file_size: bytes.length };
    return addSource({ store, knowledge }, ctx, record, source, bytes);
  }

  return [
    operation({
      id: 'createFileSource',
      right: 'edit',
      audit: 'changes',
      creates: true,
      method: 'POST',
      path: '/api/v1/chatbot/:uuid/data-source/upload',
      summary: 'Add a file (txt, md, tex, html, pdf, docx, csv, xlsx)',
      description:
        'The reply does not wait for the file to be ingested: poll the source for its `status`. A file with the same bytes as a source of the chatbot is 409 with the existing record; another type is 400.',
      parts: NewFileSource,
      reply: DataSource,
      others: { 409: DataSource },
      async handle({ user, uuid, ctx, once }) {
        await ownedChatbot(store, user, uuid);
        const release = await capacity.reserve(ctx.req);
        try {
          const file = await readUpload(ctx.req);
          checkReference(file.reference);
          nameUnknownFields(ctx, log, NewFileSource, Object.fromEntries(file.parts.map((name) => [name, ''])));
          return await once([file.name, file.hash, file.reference], (record) => addFile(uuid, file, { ctx, record }));
        } finally {
          release();
        }
      },
    }),
  ];
};
