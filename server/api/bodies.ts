import Type from 'typebox';
import { Name, RateLimit, RateLimitMessage, Visibility } from '../schema.ts';

/** What callers send. Keys beyond these are ignored. */

export const NewChatbot = Type.Object({
  name: Name,
  rate_limit: Type.Optional(RateLimit),
  rate_limit_message: Type.Optional(RateLimitMessage),
  show_citations: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(Visibility),
});

export const ChatbotChange = Type.Partial(NewChatbot);

export const NewUrlSource = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  reference_source_link: Type.Optional(Type.String({ maxLength: 2048 })),
});

export const NewMessage = Type.Object({ query: Type.String({ minLength: 1, maxLength: 8000 }) });
