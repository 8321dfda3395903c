/** What a visitor's side and the server share. Types only: the widget imports this file with `import type`. */

/** Why an answer ended; `''` while it is being made. */
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
  /** Absent while the answer is being made, and where nobody noted it. */
  outcome?: Outcome;
}

export interface VisitorSession {
  uuid: string;
  created_at: string;
  modified_at: string;
}

/** `GET /chat/{chatbot}`: what the widget shows before the first question, and how its owner wants it to look. */
export interface ChatbotFace {
  uuid: string;
  name: string;
  show_citations: boolean;
  greeting: string;
  suggestions: string[];
  /** CSS values by name, where they are not the widget's own: `color`, `radius`, `offset`, `z`, `scheme`. */
  theme: Record<string, string>;
  /** The owner's sentences in place of the widget's, by their names. */
  words: Record<string, string>;
  /** `auto`: as the page has it, else the system. */
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
  /** Open by default, but not on phones. */
  open: boolean;
  /** '' for the widget's own. */
  disclaimer: string;
  /** '' or an http(s) address. */
  privacy_url: string;
  /** What a visitor agrees to before the first message; '' for nothing. */
  consent: string;
  /** Hosts whose images answers may show: `cdn.example.com`, or `*.example.com` for those below it. */
  image_hosts: string[];
  /** '' to go by the page and the browser. */
  language: string;
}

/** The machine codes of `{error, code}` bodies and of the `error` event. */
export type ErrorCode =
  | 'bad_request'
  | 'bad_json'
  | 'unauthorized'
  | 'forbidden_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
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
  /** The one input field at fault, where there is one. */
  field?: string;
  /** Seconds, with `rate_limited`. */
  retry_after?: number;
}

/** The door's event stream, in the order of a normal answer. `error` or `done` is the last. */
export type ChatEvent =
  | { event: 'session'; data: { uuid: string } }
  | { event: 'message'; data: { uuid: string } }
  /** `id` is the answer's length in UTF-16 units up to and including this piece. */
  | { event: 'delta'; id: number; data: { text: string } }
  | { event: 'done'; data: VisitorMessage }
  | { event: 'error'; data: ErrorBody };
