import type { ChatbotProfile, FinishReason, Part } from '../../server/types.ts';

/** What the console reads of the records of /api/v1; `server/docs` and `/docs` describe them whole. */

export interface Chatbot {
  uuid: string;
  name: string;
  created_at: string;
  meta: {
    visibility: 'private' | 'public' | 'hybrid';
    show_citations: boolean;
    rate_limit: [messages: number, seconds: number];
    rate_limit_message: string;
  };
}

/** The settings of a chatbot's widget. */
export interface WidgetSettings extends Omit<
  ChatbotProfile,
  'uuid' | 'name' | 'show_citations' | 'site' | 'by_ai' | 'theme' | 'suggestions'
> {
  /** `#rrggbb`; '' for the default. */
  color: string;
  /** Pixels. */
  radius: number;
  /** Pixels. */
  offset: number;
  z_index: number;
  suggestions: string[] | 'auto';
  link_hosts: string[];
  allowed_origins: string[];
}

export interface DataSource {
  uuid: string;
  title: string;
  type: 'link' | 'upload' | 'qa';
  /** `await`, `chunking`, `embedding`, `success`, `fail` or `error:<reason>`. */
  status: string;
  /** URL of a link, name of a file; '' for `qa`. */
  file_name: string;
  /** Bytes. */
  file_size: number;
  tokens: number;
  /** A JSON object: `reason` of a failure, `question` and `answer` of a `qa` source, how many `passages` it has. */
  meta_json: string;
  created_at: string;
  modified_at: string;
}

/** A named group of sources. */
export interface SourceTag {
  uuid: string;
  name: string;
  /** `#rrggbb` */
  color: string;
  data_source_uuids: string[];
}

/** What a source says, and what the last fetch that changed it changed. */
export interface SourceText {
  passages: { headings: string[]; text: string }[];
  /** `at` is '' where no fetch has changed the text. Counts of lines, and the first five of each. */
  last_change: { at: string; added: number; removed: number; added_lines: string[]; removed_lines: string[] };
}

export interface Schedule {
  /** 0: never. */
  hours: number;
  next_at: string;
}

export interface Site {
  uuid: string;
  url: string;
  /** `running`, `done`, `stopped` or `error:<reason>`. */
  status: string;
  folder: string;
  max_pages: number;
  limit_reached: 0 | 1;
  include: string[];
  exclude: string[];
  /** Addresses that were excluded one by one. */
  excluded_pages: string[];
  dead_links: { url: string; found_on: string }[];
  dead_links_total: number;
  /** Sources that go with it. */
  pages: number;
  found: number;
  done: number;
  failed: number;
}

export interface Message {
  uuid: string;
  query: string;
  response: string;
  /** A JSON object of citations by marker. */
  cite_data_json: string;
  /** A JSON object: `outcome` and more. */
  meta_json: string;
  /** A JSON object: `rating` and `comment` of the visitor. */
  feedback_json: string;
  /** Why the answer failed; '' where it did not. */
  error_message: string;
  created_at: string;
}

/** A session as the list of conversations has it. */
export interface Conversation {
  uuid: string;
  created_at: string;
  modified_at: string;
  first_query: string;
  messages: number;
  /** Messages of each kind. */
  unknown: number;
  unsure: number;
  rated_up: number;
  rated_down: number;
  state: 'none' | 'requested';
  labels: string[];
  /** The message that has what narrows the list, with a piece of its answer. */
  found?: { uuid: string; query: string; text: string };
}

/** From the one who may most. */
export const ROLES = ['owner', 'editor', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export interface Member {
  /** Of the user. */
  uuid: string;
  /** '' where the user is gone. */
  email: string;
  role: Role;
  created_at: string;
}

export interface AuditEntry {
  uuid: string;
  at: string;
  /** '' where the user is gone. */
  email: string;
  by: { type: 'key' | 'sign-in' | 'shell'; hint: string };
  operation: string;
  summary: string;
  record: string;
  detail: string;
}

export interface Invitation {
  uuid: string;
  email: string;
  role: Role;
  created_at: string;
  expires_at: string;
}

/** Who is signed in. */
export interface Account {
  user: { uuid: string; name: string };
  /** When the sign-in ends at the latest, ISO 8601. */
  expires: string;
  /** Whether the cookie came over HTTPS. */
  is_secure: boolean;
  /** `PUBLIC_URL`, without a slash at the end; '' where it is not set. */
  public_url: string;
  /** The server sends mail. */
  has_mail: boolean;
  /** A model writes answers, and drafts of them. */
  has_model: boolean;
  /** Nobody has proved the address: no chatbots of one's own, and no mail. */
  is_guest: boolean;
  /** Runs the server. */
  is_operator: boolean;
}

/** One sign-in of the user, in any browser. */
export interface SignIn {
  uuid: string;
  created: string;
  last_used: string;
  expires: string;
  user_agent: string;
  is_current: boolean;
}

/** How one question was answered, as `POST …/message/trace` tells it. */
export interface Trace {
  answer: string;
  by: 'quotes' | 'model' | 'message' | 'small_talk' | 'function' | 'nobody';
  outcome: 'answered' | 'unsure' | 'unknown';
  finish_reason: FinishReason;
  citations: TracedCitation[];
  removed: { marker: string; claim: string; why: 'unknown' | 'unsupported' | 'link' | 'judge' }[];
  parts: Part[];
  follow_ups: string[];
  fallback: string;
  error_message: string;
  agent: { uuid: string; name: string; type: string };
  routing?: {
    by: 'only' | 'rule' | 'classifier' | 'model';
    detected?: string;
    candidates?: { uuid: string; name: string; score: number; classifier: number; bias: number; stickness: number }[];
  };
  functions_called: { name: string; content: string }[];
  query: { asks: string; language: string; unknown_words: string[]; earlier_questions: string[] };
  search: { passages: number; rewritten?: { queries: string[] }; candidates: Candidate[] };
  sentences: { candidate: number; text: string; covered: number; taken: boolean }[];
  decision?: {
    certainty: 'sure' | 'unsure' | 'none';
    confidence: number;
    min_confidence: number;
    /** The share of what is asked that the best passage has words for. */
    held: number;
    min_held: number;
  };
  /** Milliseconds. */
  timings: { agent: number; search: number; write: number; check: number };
  model?: { name: string; prompt: string; earlier_messages: number; credits: number; total_tokens: number };
}

export interface TracedCitation {
  marker: string;
  data_source_uuid: string;
  title: string;
  address: string;
  type: string;
  /** The quoted words, and what stands around them in their passage. */
  text: string;
  before: string;
  after: string;
  /** Rank of the passage; 0 for one that is not among the candidates. */
  candidate: number;
}

export interface Candidate {
  rank: number;
  title: string;
  address: string;
  headings: string[];
  text: string;
  score: number;
  /** Among the passages that the answer is made from. */
  found: boolean;
  given: boolean;
}

/** Figures of a day, or sums of them; of an agent, a page or a language without `credits`. */
export interface Figures {
  asked: number;
  answered: number;
  unsure: number;
  unknown: number;
  handed_over: number;
  rated_up: number;
  rated_down: number;
}

export interface DayFigures extends Figures {
  day: string;
  /** Questions over the rate limit. */
  refused: number;
  credits: number;
}

export interface Analytics extends Figures {
  refused: number;
  credits: number;
  days: DayFigures[];
  agents: (Figures & { agent: string; name: string })[];
  pages: (Figures & { page: string })[];
  languages: (Figures & { language: string })[];
}

/** How often a source was cited; one that never was is in no list. */
export interface CitedSource {
  data_source: string;
  answers: number;
  last_cited_at: string;
}

/** Questions for the same thing that were asked in vain. */
export interface Gap {
  question: string;
  count: number;
  last_asked: string;
  /** Messages of each kind. */
  reasons: Record<'unknown' | 'unsure' | 'rated_down' | 'asked_again', number>;
  wordings: { query: string; session: string; asked_at: string }[];
  passages: { data_source_uuid: string; title: string; text: string }[];
}

export interface GapList {
  count: number;
  is_cut: boolean;
  gaps: Gap[];
}
