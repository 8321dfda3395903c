import * as Type from 'typebox';
import type { Static } from 'typebox';
import { Color, KeepDays, Name, NewVariables } from '../../schema/fields.ts';
import { Query, RateLimit, RateLimitMessage, Schedule, ShowCitations, Visibility } from '../../schema/records.ts';

/** Request bodies. Unknown keys are ignored. The names of exports are component names in the OpenAPI document. */

/** Replies have 0 and 1, requests may send either. */
export const Switch = Type.Union([Type.Boolean(), Type.Literal(0), Type.Literal(1)]);
export const asFlag = (value: Static<typeof Switch>): 0 | 1 => (value ? 1 : 0);

export const NewChatbot = Type.Object({
  name: Name,
  rate_limit: Type.Optional(RateLimit),
  rate_limit_message: Type.Optional(RateLimitMessage),
  show_citations: Type.Optional(ShowCitations),
  visibility: Type.Optional(Visibility),
});

export const ChatbotChange = Type.Partial(Type.Object({ ...NewChatbot.properties, keep_days: KeepDays }));

const ReferenceLink = Type.Optional(
  Type.String({
    maxLength: 2048,
    pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?://\\S+)?$',
    description: 'an http or https address, that citations of the source link to, of at most 2048 characters, or empty',
  }),
);
const Title = Type.String({ minLength: 1, maxLength: 1000, description: 'Title of the source, 1 to 1000 characters.' });

export const NewUrlSource = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Whole http or https address without user name and password; the fragment is dropped.',
  }),
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

/** `include` and `exclude`: a path matches a prefix, or a pattern in which `*` stands for any characters. */
export const NewSite = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Whole http or https address where the crawl starts.',
  }),
  max_pages: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2000, default: 200, description: 'Pages that become sources at most.' }),
  ),
  include: Patterns,
  exclude: Patterns,
});

export const NewPage = Type.Object({
  page: Type.String({ minLength: 1, maxLength: 2048, description: 'An address of `excluded_pages`.' }),
});

/** The question becomes the title. */
export const NewQaSource = Type.Object({
  question: Type.With(Title, { description: 'The question, 1 to 1000 characters.' }),
  answer: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: 'The answer, 1 to 10000 characters, quoted whole.',
  }),
  reference_source_link: ReferenceLink,
});

/** The parts of an upload; `file` is one of txt, md, markdown, tex, html, htm, pdf, docx, csv and xlsx. */
export const NewFileSource = Type.Object({
  file: Type.String({
    contentMediaType: 'application/octet-stream',
    description: 'The file, with its name; at most 50 MB.',
  }),
  reference_source_link: ReferenceLink,
});

export const SourceChange = Type.Object({
  title: Type.Optional(Title),
  ...Type.Partial(NewQaSource).properties,
});

const SourceUuids = Type.Array(Type.String(), { maxItems: 10_000 });

export const ManySources = Type.Object({ uuids: SourceUuids });

export const NewSchedule = Type.Object({ hours: Schedule.properties.hours });

export const NewTag = Type.Object({ name: Name, color: Color, data_source_uuids: Type.Optional(SourceUuids) });
export const TagChange = Type.Object({
  ...Type.Partial(NewTag).properties,
  add_data_source_uuids: Type.Optional(SourceUuids),
  remove_data_source_uuids: Type.Optional(SourceUuids),
});

export const NewSession = Type.Object({
  initial_variables: Type.Optional(NewVariables),
  from_visitor: Type.Optional(
    Type.Boolean({
      description:
        '`initial_variables` are of a visitor or a page: variables with `static` 1 do not take them. Default false.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        'Tool functions of the classes `write` and `ask` are not called: the model is told to go on as if they were, and `functions_called` has the request that would have been sent. Default false.',
    }),
  ),
});

export const NewMessage = Type.Object({ query: Query, variables: Type.Optional(NewVariables) });

/** Records of a batch operation. */
export const Uuids = Type.Object({ uuids: Type.Array(Type.String(), { maxItems: 1000 }) });
