import * as Type from 'typebox';
import type { TSchema } from 'typebox';
import { Fault, Success } from '../../schema/records.ts';
import {
  AskBody,
  FeedbackBody,
  SessionBody,
  VisitorMessageSchema,
  VisitorSessionSchema,
} from '../../schema/visitor.ts';
import { WidgetSettings } from '../../schema/widget-settings.ts';
import type { Operation } from '../requests/operation.ts';

/** The public door as the document tells of it. `server/proxy` handles it; nobody needs a key there. */
export type PublicChatOperation = Omit<Operation, 'handle' | 'open' | 'creates'>;

const { color: _c, radius: _r, offset: _o, z_index: _z, allowed_origins: _a, ...shown } = WidgetSettings.properties;

const ChatbotFace = Type.Object(
  {
    uuid: Type.String(),
    name: Type.String(),
    show_citations: Type.Boolean(),
    theme: Type.Record(Type.String(), Type.String(), {
      description: 'CSS values by name, where they are not the default',
    }),
    ...shown,
  },
  { additionalProperties: false },
);

/** Beside what every operation here may answer. */
const faults = (...statuses: number[]): Record<number, TSchema> =>
  Object.fromEntries([403, ...statuses].map((status) => [status, Fault]));

const SESSION = '/chat/:chatbot/session/:session';
const MESSAGE = `${SESSION}/message/:message`;

export const publicChatOperations: PublicChatOperation[] = [
  {
    id: 'getChatbotFace',
    method: 'GET',
    path: '/chat/:chatbot',
    summary: 'Fetch what a widget shows of a chatbot that is public or hybrid',
    reply: ChatbotFace,
    others: faults(),
  },
  {
    id: 'createVisitorSession',
    method: 'POST',
    path: '/chat/:chatbot/session',
    summary: 'Create a session; to ask without one does the same by itself',
    body: SessionBody,
    reply: VisitorSessionSchema,
    others: faults(429),
  },
  {
    id: 'ask',
    method: 'POST',
    path: '/chat/:chatbot/ask',
    summary: 'Ask; a repeat of the same id gets the same events from the start, with another query it is 409',
    description: 'An id of 22 characters or more must be random: it is a secret that counts from any address.',
    body: AskBody,
    reply: 'events',
    others: faults(409, 429, 502, 504),
  },
  {
    id: 'listVisitorMessages',
    method: 'GET',
    path: `${SESSION}/messages`,
    summary: 'Fetch the messages of a session as its visitor sees them, oldest first',
    reply: Type.Array(VisitorMessageSchema),
    others: faults(),
  },
  {
    id: 'deleteVisitorSession',
    method: 'POST',
    path: `${SESSION}/delete`,
    summary: 'Delete a session with its messages',
    reply: Success,
    others: faults(),
  },
  {
    id: 'resumeMessage',
    method: 'GET',
    path: `${MESSAGE}/stream`,
    summary: 'Go on with an answer from the Last-Event-ID, before its end or after',
    reply: 'events',
    others: faults(429),
  },
  {
    id: 'stopMessage',
    method: 'POST',
    path: `${MESSAGE}/stop`,
    summary: 'Stop an answer; what was written stays',
    reply: Success,
    others: faults(),
  },
  {
    id: 'createFeedback',
    method: 'POST',
    path: `${MESSAGE}/feedback`,
    summary: 'Say of an answer whether it was of use',
    body: FeedbackBody,
    reply: Success,
    others: faults(429),
  },
];
