import { Readable } from 'node:stream';
import { timestamp } from '../../schema/ids.ts';
import { exportChatbot } from '../../store/archive/export.ts';
import { Fault } from '../../schema/records.ts';
import { createExportCapacity } from '../requests/export-capacity.ts';
import { operation, ownedChatbot, type ApiDeps, type Operation } from '../requests/operation.ts';

export const chatbotExport = ({ store, clock }: ApiDeps, capacity = createExportCapacity()): Operation =>
  operation({
    id: 'exportChatbot',
    right: 'own',
    audit: 'reads',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/export',
    summary: 'Export a chatbot as an archive',
    description:
      'Its settings, agents with their tools, tags, sites, and sources with files, passages and vectors, in JSON Lines that `docent import` reads into an empty server, where the caller owns it. Without conversations, figures, members, keys, and the values of the headers that its tools send. An archive is whole where its last line is `end`. 2 of one user at once, else 429, and 8 in all of one process, else 503; one whose reader takes nothing for a minute is broken off.',
    reply: 'text',
    media: ['application/x-ndjson'],
    others: { 429: Fault },
    async handle({ user, uuid, ctx }) {
      const chatbot = await ownedChatbot(store, user, uuid);
      capacity.take(user.uuid, ctx.res);
      ctx.type = 'application/x-ndjson; charset=utf-8';
      ctx.set('Content-Disposition', `attachment; filename="chatbot-${timestamp(clock).slice(0, 10)}.jsonl"`);
      ctx.body = Readable.from(exportChatbot(store, chatbot, user, clock), { objectMode: false });
    },
  });
