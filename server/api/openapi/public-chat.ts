import * as Type from 'typebox';
import type { TSchema } from 'typebox';
import { Fault, Success } from '../../schema/records.ts';
import {
  AskBody,
  ConfirmBody,
  FeedbackBody,
  SessionBody,
  VisitorMessageSchema,
  VisitorSessionSchema,
} from '../../schema/visitor.ts';
import { WidgetSettings } from '../../schema/widget-settings.ts';
import type { Operation } from '../requests/operation.ts';

/** The operations of the public chat API, for the document alone: `server/proxy` handles them, without a key. */
type PublicChatOperation = Omit<Operation, 'handle' | 'right' | 'audit' | 'creates'>;

const {
  color: _c,
  radius: _r,
  offset: _o,
  z_index: _z,
  allowed_origins: _a,
  link_hosts: _l,
  suggestions: _s,
  ...publicSettings
} = WidgetSettings.properties;

const ChatbotProfile = Type.Object(
  {
    uuid: Type.String(),
    name: Type.String(),
    show_citations: Type.Boolean(),
    suggestions: Type.Array(Type.String(), {
      description: 'The questions of the settings, or with `auto` up to three headings of the sources.',
    }),
    site: Type.String({ description: 'The host of the pages that most answers are from; empty where there are none.' }),
    by_ai: Type.Boolean({
      description: 'True where a language model writes the answers, false where they are quoted.',
    }),
    theme: Type.Record(Type.String(), Type.String(), {
      description: 'CSS custom properties of the widget by name; those with default values are left out',
    }),
    ...publicSettings,
  },
  { additionalProperties: false },
);

/** Errors by status, beside those derived from the operation. */
const faultSchemas = (...statuses: number[]): Record<number, TSchema> =>
  Object.fromEntries([403, ...statuses].map((status) => [status, Fault]));

const SESSION = '/chat/:chatbot/session/:session';
const MESSAGE = `${SESSION}/message/:message`;

export const publicChatOperations: PublicChatOperation[] = [
  {
    id: 'getChatbotFace',
    method: 'GET',
    path: '/chat/:chatbot',
    summary: 'Fetch the public profile of a chatbot: name and widget settings',
    reply: ChatbotProfile,
    others: faultSchemas(),
  },
  {
    id: 'createVisitorSession',
    method: 'POST',
    path: '/chat/:chatbot/session',
    summary: 'Create a session',
    description: 'Not required: asking without a session creates one.',
    body: SessionBody,
    reply: VisitorSessionSchema,
    others: faultSchemas(429),
  },
  {
    id: 'ask',
    method: 'POST',
    path: '/chat/:chatbot/ask',
    summary: 'Ask a question; the answer is streamed as Server-Sent Events',
    description:
      'A request with the `id` of an earlier one creates no second message and gets the same events from the start; with another query it is 409. Without `session` one is created. An `id` of 22 characters or more must be random: it identifies the message from any IP address.',
    body: AskBody,
    reply: 'events',
    others: faultSchemas(409, 429, 502, 504),
  },
  {
    id: 'listVisitorMessages',
    method: 'GET',
    path: `${SESSION}/messages`,
    summary: 'List the messages of a session, oldest first, with the fields a visitor may see',
    description: 'A message whose call waits to be confirmed, or was not confirmed in time, has it in `confirm`.',
    reply: Type.Array(VisitorMessageSchema),
    others: faultSchemas(),
  },
  {
    id: 'deleteVisitorSession',
    method: 'POST',
    path: `${SESSION}/delete`,
    summary: 'Delete a session with its messages',
    reply: Success,
    others: faultSchemas(),
  },
  {
    id: 'resumeMessage',
    method: 'GET',
    path: `${MESSAGE}/stream`,
    summary: 'Resume the event stream of a message',
    description:
      'Begins after the header `Last-Event-ID` (a length in UTF-16 units), else at the start of the answer. Works while the answer is generated and after it.',
    reply: 'events',
    others: faultSchemas(429),
  },
  {
    id: 'stopMessage',
    method: 'POST',
    path: `${MESSAGE}/stop`,
    summary: 'Stop generating an answer',
    description: 'The text so far is stored, with the finish_reason `stopped`.',
    reply: Success,
    others: faultSchemas(),
  },
  {
    id: 'confirmCall',
    method: 'POST',
    path: `${MESSAGE}/confirm`,
    summary: 'Confirm or decline the call that an answer has ended with; the answer goes on as Server-Sent Events',
    description:
      'After the event `confirm`, at most 10 minutes later and once: a second request, and one that comes too late, is 409. The events are those of `ask`: the text goes on behind that of the message. With `accept` false the function is not called.',
    body: ConfirmBody,
    reply: 'events',
    others: faultSchemas(409, 429),
  },
  {
    id: 'createFeedback',
    method: 'POST',
    path: `${MESSAGE}/feedback`,
    summary: 'Rate an answer',
    description: 'A second rating replaces the first.',
    body: FeedbackBody,
    reply: Success,
    others: faultSchemas(429),
  },
];
