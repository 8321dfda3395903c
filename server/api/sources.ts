import Type from 'typebox';
import { invalid, notFound } from '../errors.ts';
import { newUuid, timestamp, view } from '../records.ts';
import { DataSource, Success } from '../schema.ts';
import type { StoredSource } from '../store/store.ts';
import { NewUrlSource } from './bodies.ts';
import { operation, ownedChatbot, ownedSource, type Operation, type Rooms } from './operation.ts';

export const sources = ({ store, knowledge, clock }: Rooms): Operation[] => [
  operation({
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/data-source/url',
    summary: 'Add a page by its URL; 409 with the existing record where it is there already',
    body: NewUrlSource,
    reply: DataSource,
    async handle({ user, uuid, body, ctx }) {
      await ownedChatbot(store, user, uuid);
      const source = urlSource(uuid, body.url, body.reference_source_link, timestamp(clock));
      const stored = await store.createSource(source);
      if (!stored) throw notFound('chatbot');
      if (stored.existing) ctx.status = 409;
      else knowledge.learn(source);
      return view(DataSource, stored.existing ?? source);
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/data-sources',
    summary: 'Fetch all sources of a chatbot',
    reply: Type.Array(DataSource),
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      return (await store.sources(uuid)).map((source) => view(DataSource, source));
    },
  }),
  operation({
    method: 'POST',
    path: '/api/v1/data-source/:uuid/delete',
    summary: 'Delete a source and all it taught',
    reply: Success,
    async handle({ user, uuid }) {
      const source = await ownedSource(store, user, uuid);
      await store.deleteSource(uuid);
      knowledge.forget(source.chatbot, uuid);
      return { success: true };
    },
  }),
];

/** A link that is yet to be learned. */
export function urlSource(chatbot: string, url: string, reference: string | undefined, now: string): StoredSource {
  const address = readAddress(url);
  return {
    uuid: newUuid(),
    title: url,
    type: 'link',
    status: 'await',
    file_name: url,
    file_size: 0,
    tokens: 0,
    meta_json: JSON.stringify(reference === undefined ? {} : { reference_source_link: reference }),
    created_at: now,
    modified_at: now,
    chatbot,
    identity: address,
  };
}

/** The same page however it is written: without a fragment, host and scheme in lower case. */
function readAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw invalid('url', 'url must be a whole http or https address');
  }
  if (address.username || address.password) throw invalid('url', 'url must not hold a user name or a password');
  address.hash = '';
  return address.href;
}
