import { messageUuid, newUuid } from '../../server/schema/ids.ts';
import type { ToolFunction } from '../../server/schema/records.ts';
import { newAuditUuid, type AuditEntry } from '../../server/store/shared/audit.ts';
import type {
  StoredAgent,
  StoredChatbot,
  StoredLoginLink,
  StoredMessage,
  StoredPasskey,
  StoredSession,
  StoredSignIn,
  StoredSite,
  StoredSource,
  StoredTag,
} from '../../server/store/store.ts';

/** Records as the server would make them, for tests. */

const dated = { created_at: '2026-01-02T03:04:05Z', modified_at: '2026-01-02T03:04:05Z' };

export const aChatbot = (owner: string, more: Partial<StoredChatbot> = {}): StoredChatbot => ({
  uuid: newUuid(),
  name: 'Shop help',
  ...dated,
  meta: { rate_limit: [20, 240], rate_limit_message: 'Too many messages', show_citations: true, visibility: 'public' },
  owner,
  ...more,
});

export const anAgent = (chatbot: string, more: Partial<StoredAgent> = {}): StoredAgent => ({
  uuid: newUuid(),
  name: 'General Q&A',
  prompt: '',
  description: '',
  type: 'user-facing',
  ...dated,
  enabled: 1,
  meta: { model: 'llm-4o-mini-4k', temperature: 0, bias: 0, stickness: 0, use_all_sources: true },
  data_source_uuids: [],
  tool_functions: [],
  variables: [],
  chatbot,
  ...more,
});

export const aFunction = (more: Partial<ToolFunction> = {}): ToolFunction => ({
  uuid: newUuid(),
  name: 'order status',
  description: 'looks an order up',
  parameters: { type: 'object', properties: {}, required: [] },
  headers: {},
  enabled: 1,
  external_url: 'https://shop.example/orders',
  method: 'POST',
  ...dated,
  meta: {},
  ...more,
});

export const aTag = (chatbot: string, more: Partial<StoredTag> = {}): StoredTag => ({
  uuid: newUuid(),
  name: 'Policies',
  color: '#00aaFF',
  data_source_uuids: [],
  ...dated,
  chatbot,
  ...more,
});

export const aSource = (chatbot: string, more: Partial<StoredSource> = {}): StoredSource => {
  const uuid = newUuid();
  const file_name = `https://shop.example/${uuid}`;
  return {
    uuid,
    title: 'Returns',
    type: 'link',
    status: 'await',
    file_name,
    file_size: 0,
    tokens: 0,
    meta_json: '{}',
    ...dated,
    chatbot,
    identity: file_name,
    ...more,
  };
};

export const aSite = (chatbot: string, more: Partial<StoredSite> = {}): StoredSite => ({
  uuid: newUuid(),
  url: 'https://shop.example/help/',
  status: 'running',
  max_pages: 200,
  include: [],
  exclude: ['/help/old/*'],
  found: 0,
  done: 0,
  failed: 0,
  ...dated,
  chatbot,
  home: '',
  plan: '',
  round: 1,
  ...more,
});

export const aSession = (chatbot: string, more: Partial<StoredSession> = {}): StoredSession => ({
  uuid: newUuid(),
  ...dated,
  chatbot,
  ...more,
});

export const aMessage = (session: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  uuid: messageUuid(session),
  query: 'How long do I have to return something?',
  response: 'You have 30 days. [1]',
  finish_reason: 'stop',
  cite_data_json: '{}',
  meta_json: '{}',
  ...dated,
  background_pending_tasks: 0,
  detected_frustrations: '',
  error_message: '',
  feedback_json: '{}',
  labels: [],
  session_documents: [],
  session,
  ...more,
});

export const aDocument = (text: string) => ({
  title: 'Returns',
  text,
  passages: [
    { headings: ['Help', 'Returns'], start: 0, end: text.length },
    { headings: [], start: 0, end: text.length, ofSite: true as const },
  ],
});

/** A minute of the hour in which sign-ins of tests are made. */
export const atMinute = (minute: number): string => `2026-01-02T03:${String(minute).padStart(2, '0')}:00Z`;

export const aLink = (user: string, more: Partial<StoredLoginLink> = {}): StoredLoginLink => ({
  hash: newUuid() + newUuid(),
  user,
  created_at: atMinute(0),
  expires_at: atMinute(30),
  ...more,
});

export const aSignIn = (user: string, more: Partial<StoredSignIn> = {}): StoredSignIn => ({
  uuid: newUuid(),
  hash: newUuid() + newUuid(),
  user,
  key: '',
  environment_key: '',
  passkey: '',
  user_agent: 'Mozilla/5.0 (ÿ)',
  created_at: atMinute(1),
  last_used_at: atMinute(1),
  expires_at: '2026-02-01T03:00:00Z',
  ...more,
});

export const aPasskey = (user: string, more: Partial<StoredPasskey> = {}): StoredPasskey => ({
  uuid: newUuid(),
  id: Buffer.from(newUuid()).toString('base64url'),
  user,
  name: 'Laptop ÿ',
  host: 'docent.example',
  public_key: 'pQECAyYgASFYIA',
  counter: 0,
  created_at: atMinute(1),
  last_used_at: '',
  ...more,
});

/** Of a chatbot's log, or with `account` of a user's. `ms`: when. */
export function anAuditEntry({
  ms = Date.parse('2026-01-02T03:04:05Z'),
  ...more
}: Partial<AuditEntry> & { ms?: number }): AuditEntry {
  return {
    uuid: newAuditUuid(ms),
    at: `${new Date(ms).toISOString().slice(0, 19)}Z`,
    chatbot: '',
    account: '',
    user: newUuid(),
    by: { type: 'key', uuid: newUuid(), hint: 'dk_abc' },
    operation: 'deleteSession',
    record: newUuid(),
    detail: 'name',
    ...more,
  };
}
