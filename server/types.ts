/** Types of the public chat API, shared by server and widget. Types only: the widget imports this file with `import type`. */

/** Why an answer ended; `''` while it is generated. */
export type FinishReason = '' | 'stop' | 'length' | 'error' | 'stopped' | 'interrupted' | 'quota';

/** Whether a question was answered; `unsure` is not given yet. */
export type Outcome = 'answered' | 'unsure' | 'unknown';

/** Where a marker in an answer points: exactly these five strings (INTERFACE.md, Records). */
export interface Citation {
  data_source_uuid: string;
  title: string;
  /** The quoted passage, word for word as it stands in the stored source. */
  text: string;
  /** The URL for a link, the file's name for an upload. */
  file_name: string;
  type: string;
}

/** Keyed by the marker without its brackets: `{"1": …}` belongs to `[1]` in the text. */
export type Citations = Record<string, Citation>;

/** A call of a tool function that the visitor is asked to confirm. */
export interface Confirmation {
  function: string;
  /** The name that the function's owner gave for visitors. */
  name: string;
  arguments: Record<string, unknown>;
}

/** Buttons that ask something: their `query`, else their `label`. */
export interface QuickReplies {
  type: 'quick_replies';
  replies: { label: string; query?: string }[];
}

/** A form that asks `submit`, with its values as variables of these names. */
export interface Form {
  type: 'form';
  title?: string;
  fields: { name: string; label: string; kind: 'text' | 'email' | 'long_text'; required?: boolean }[];
  submit: string;
}

/** Links to http, https and mailto addresses. */
export interface LinkCards {
  type: 'link_cards';
  cards: { title: string; url: string; text?: string }[];
}

/** A part of an answer beside its text. Clients pass over types that they do not know. */
export type Part = QuickReplies | Form | LinkCards;

/** When the teaser is shown: once all conditions of one trigger hold. */
export interface Trigger {
  /** Seconds since the widget was loaded. */
  seconds?: number;
  /** Per cent of the page's height that have been in view. */
  scroll?: number;
  /** The mouse has left the page at its top. */
  exit?: boolean;
  /** A pattern of the page's path: `/shop/*`. */
  page?: string;
  /** The visitor's browser holds a conversation. */
  returning?: boolean;
  /** In place of `teaser`. */
  text?: string;
}

/** What a visitor may see of a message: exactly these keys. */
export interface VisitorMessage {
  uuid: string;
  query: string;
  response: string;
  finish_reason: FinishReason;
  /** A JSON object of `Citations`; `{}` when there is none. */
  cite_data_json: string;
  /** A JSON object; `{}` without feedback. */
  feedback_json: string;
  created_at: string;
  modified_at: string;
  /** Absent while the answer is generated, and where none was recorded. */
  outcome?: Outcome;
  /** Absent where the answer asks for none, and once the visitor has confirmed or declined. */
  confirm?: Confirmation & {
    /** Seconds left to answer; 0: it is too late. */
    expires_in: number;
  };
  /** The call that the visitor has confirmed or declined. */
  confirmed?: Confirmation & { accepted: boolean };
  /** Absent where there are none. */
  parts?: Part[];
  /** At most 3 questions that the sources answer, to go on with; absent where there are none. */
  follow_ups?: string[];
}

export interface VisitorSession {
  uuid: string;
  created_at: string;
  modified_at: string;
}

/** `GET /chat/{chatbot}`: name and widget settings of a chatbot. */
export interface ChatbotProfile {
  uuid: string;
  name: string;
  show_citations: boolean;
  greeting: string;
  suggestions: string[];
  /** The host of the pages that most answers are from; '' where there are none. */
  site: string;
  /** A language model writes the answers; else they are quoted. */
  by_ai: boolean;
  /** CSS values that differ from the defaults: `color`, `radius`, `offset`, `z`, `scheme`. */
  theme: Record<string, string>;
  /** Sentences that replace the widget's, by name. */
  words: Record<string, string>;
  /** `auto`: follows the page, else the system. */
  scheme: 'auto' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  /** `end` and `start` follow the direction of writing. */
  position: 'end' | 'start' | 'right' | 'left';
  /** `chat`, `question`, `spark`, `none`, or an https address of an image. */
  icon: string;
  /** Text beside the icon. */
  label: string;
  /** '' for the chatbot's name. */
  title: string;
  /** '' or an https address of an image. */
  avatar: string;
  /** A sentence beside the launcher, `teaser_after` seconds after it is there; '' for none. */
  teaser: string;
  teaser_after: number;
  /** In place of `teaser_after`, where there are any: each with its own text or `teaser`. */
  triggers: Trigger[];
  /** Open by default, but not on phones. */
  open: boolean;
  /** Plays a sound for an answer that ends while the panel is closed or the tab hidden. */
  sound: boolean;
  /** '' for the widget's default. */
  disclaimer: string;
  /** '' or an http(s) address. */
  privacy_url: string;
  /** '', an http(s) address or an e-mail address: shown where the chat could not answer. */
  contact: string;
  /** Text that a visitor accepts before the first message; '' for none. */
  consent: string;
  /** Hosts whose images answers may show: `cdn.example.com`, or `*.example.com` for those below it. */
  image_hosts: string[];
  /** '' to detect it from the page and the browser. */
  language: string;
}

/** The machine codes of `{error, code}` bodies and of the `error` event. */
export type ErrorCode =
  | 'bad_request'
  | 'bad_json'
  | 'unauthorized'
  | 'forbidden'
  | 'forbidden_origin'
  /** The page of a user asks, and the cookie is of another by now. */
  | 'other_user'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'invalid_field'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'model_failed'
  | 'model_timeout'
  | 'upstream_failed'
  | 'upstream_timeout'
  | 'unavailable'
  | 'disk_full';

export interface ErrorBody {
  error: string;
  code: ErrorCode;
  /** The invalid input field, where there is one. */
  field?: string;
  /** Seconds, with `rate_limited`. */
  retry_after?: number;
  /** Of an answer that failed: such as the nearest pages. */
  parts?: Part[];
}

/** The event stream of the public chat API, in order. `error` or `done` is the last. */
export type ChatEvent =
  | { event: 'session'; data: { uuid: string } }
  | { event: 'message'; data: { uuid: string } }
  /** `id` is the answer's length in UTF-16 units up to and including this piece. */
  | { event: 'delta'; id: number; data: { text: string } }
  /** A tool function runs: the name that its owner gave. */
  | { event: 'step'; data: { name: string } }
  /** Before `done`: the visitor is asked to confirm a call of that function with these arguments and variables of its address. */
  | { event: 'confirm'; data: Confirmation }
  /** Before `done`: one of its `parts`. */
  | { event: 'part'; data: Part }
  | { event: 'done'; data: VisitorMessage }
  | { event: 'error'; data: ErrorBody };
