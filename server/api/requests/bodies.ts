import * as Type from 'typebox';
import type { Static } from 'typebox';
import {
  Color,
  Name,
  NewVariables,
  Query,
  RateLimit,
  RateLimitMessage,
  Schedule,
  Visibility,
} from '../../schema/records.ts';

/** What callers send. Keys beyond these are ignored. */

/** On or off: replies have 0 and 1, callers send either. */
export const Switch = Type.Union([Type.Boolean(), Type.Literal(0), Type.Literal(1)]);
export const asFlag = (value: Static<typeof Switch>): 0 | 1 => (value ? 1 : 0);

export const NewChatbot = Type.Object({
  name: Name,
  rate_limit: Type.Optional(RateLimit),
  rate_limit_message: Type.Optional(RateLimitMessage),
  show_citations: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(Visibility),
});

export const ChatbotChange = Type.Partial(NewChatbot);

const ReferenceLink = Type.Optional(Type.String({ maxLength: 2048 }));
const Title = Type.String({ minLength: 1, maxLength: 1000 });

export const NewUrlSource = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  reference_source_link: ReferenceLink,
});

const Pattern = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[/*]',
  description: 'a string of at most 300 characters that begins with / or *',
});
const Patterns = Type.Optional(
  Type.Union([Pattern, Type.Array(Pattern, { maxItems: 50, description: 'a list of at most 50 such strings' })]),
);

/** Paths begin with one of the patterns, or are as one with `*` for anything. */
export const NewSite = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  max_pages: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, default: 200 })),
  include: Patterns,
  exclude: Patterns,
});

/** The question becomes the title. */
export const NewQaSource = Type.Object({
  question: Title,
  answer: Type.String({ minLength: 1, maxLength: 10_000 }),
  reference_source_link: ReferenceLink,
});

/** The parts of an upload; `file` is one of txt, md, markdown, tex, html, htm, pdf, docx, csv and xlsx. */
export const NewFileSource = Type.Object({
  file: Type.String({ contentMediaType: 'application/octet-stream', description: 'a file with a name' }),
  reference_source_link: ReferenceLink,
});

export const SourceChange = Type.Object({ title: Title });

const SourceUuids = Type.Array(Type.String(), { maxItems: 10_000 });

/** Sources to act on together: a chatbot may well have thousands of pages. */
export const ManySources = Type.Object({ uuids: SourceUuids });

export const NewSchedule = Type.Object({ hours: Schedule.properties.hours });

export const NewTag = Type.Object({ name: Name, color: Color, data_source_uuids: Type.Optional(SourceUuids) });
export const TagChange = Type.Partial(NewTag);

export const NewSession = Type.Object({ initial_variables: Type.Optional(NewVariables) });

export const NewMessage = Type.Object({ query: Query });

/** Records to act on together; as many as one request may name. */
export const Uuids = Type.Object({ uuids: Type.Array(Type.String(), { maxItems: 1000 }) });
