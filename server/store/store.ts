import type { AgentRouting } from '../schema/routing.ts';
import type { Agent, Chatbot, Schedule, SourceTag } from '../schema/records.ts';
import type { OwnerAccount, PasskeyVerbs, SignInVerbs, StoredKey, User } from './accounts.ts';
import type { Bus } from './bus.ts';
import type { Credits } from './credits.ts';
import type { IndexFiles } from './index-files.ts';
import type { PassageVersions } from './passage-versions.ts';
import type { SharedAnswers } from './shared/answers.ts';
import type { AuditVerbs } from './shared/audit.ts';
import type { CrawlingVerbs, Learners, LearningVerbs } from './shared/learners.ts';
import type { FigureVerbs } from './shared/figures.ts';
import type { FindOptions, FoundMessages, MessageFilter } from './shared/message-search.ts';
import type { ReplyClaims } from './shared/reply-claims.ts';
import type { SiteVerbs } from './shared/sites.ts';
import type { Team } from './shared/members.ts';
import type { ListOrder, StoredMessage, StoredSession } from './shared/session-records.ts';
import type { SourceDocument, StoredSource, StoredVectors } from './source-records.ts';
import type { Visits } from './visits.ts';
import type { Outcome } from '../types.ts';
import type { WidgetSettings } from '../schema/widget-settings.ts';

export { MAX_PASSKEYS } from './accounts.ts';
export type {
  Challenge,
  OwnerAccount,
  StoredKey,
  StoredLoginLink,
  StoredPasskey,
  StoredSignIn,
  User,
} from './accounts.ts';
export type { FindOptions, FoundMessage, FoundMessages, MessageFilter } from './shared/message-search.ts';
export type { StoredMessage, StoredSession } from './shared/session-records.ts';
export type { StoredSite } from './shared/sites.ts';
export type { Passage, SourceDocument, StoredSource, StoredVectors } from './source-records.ts';

/**
 * The Store port: verbs of the domain. What a promise here has resolved is durable: written and synced. Lists are in order of
 * creation, which the store keeps apart from the timestamps. Records handed out are the caller's own to change; only the verbs
 * change what is stored. A verb whose parent is gone stores nothing and answers `false` or `undefined`.
 */
export interface Store extends SignInVerbs, PasskeyVerbs, FigureVerbs, AuditVerbs, SiteVerbs {
  /** Created when the store is first opened; never changes. */
  readonly owner: OwnerAccount;
  /** Between the processes that have the store open. */
  readonly bus: Bus;
  /** Absent in PostgreSQL, where processes that share the texts would have to drop one another's files. */
  readonly indexFiles?: IndexFiles;
  /** Absent where one process alone has the store open: what it changes it indexes itself. */
  readonly passages?: PassageVersions;
  /** Absent likewise: the process counts in its memory. */
  readonly visits?: Visits;
  /** Absent likewise. */
  readonly credits?: Credits;
  /** Absent likewise: all answers under way are in its memory. */
  readonly answers?: SharedAnswers;
  /** Absent likewise: the process learns and crawls all that is unfinished. */
  readonly learners?: Learners<Pick<Store, LearningVerbs>, Pick<Store, CrawlingVerbs>>;
  /** Absent likewise: requests with the same key take turns in its memory. */
  readonly replyClaims?: ReplyClaims;

  keyOwner(hash: string): Promise<User | undefined>;
  /** By the sign-in of this uuid, where one is given: false, and nothing is stored, where the key's user has it no more. */
  addKey(key: StoredKey, signIn?: string): Promise<boolean>;
  /** Of several that are added so at once, by whichever processes, one is. False where there is a key, which is left alone. */
  addFirstKey(key: StoredKey): Promise<boolean>;
  keys(): Promise<StoredKey[]>;
  /** False where there is no such key. Once it has resolved, the key is rejected. */
  removeKey(hash: string): Promise<boolean>;
  /** By its user, who goes on with what else signs in: it ends the sign-ins that were made with this key alone. False where the user has no such key. */
  removeOwnKey(user: string, hash: string): Promise<boolean>;
  /** Notes when a key was last used; lost in a crash without harm. */
  keyUsed(hash: string, at: string): Promise<void>;
  users(): Promise<User[]>;
  /** In any order, those that there are. */
  usersByUuid(uuids: string[]): Promise<User[]>;
  userByEmail(email: string): Promise<User | undefined>;
  /** `undefined` where a user of this address is there already. */
  addUser(user: User): Promise<User | undefined>;
  /** The user counts as made by whoever runs the server from now on. False where there is none that an invitation has made. */
  admitUser(uuid: string): Promise<boolean>;
  /** With their keys, sign-ins and audit log; they leave the chatbots that have another owner. False where there is no such user, or it is the one of `home`. */
  removeUser(uuid: string): Promise<boolean>;
  /** Small facts of this installation, such as which chatbot is the demo's. */
  fact(name: string): Promise<string | undefined>;
  setFact(name: string, value: string): Promise<void>;
  /** Sets the fact where there is none; resolves with what it is then, which of several processes one has set. */
  claimFact(name: string, value: string): Promise<string>;

  /** Does nothing where one of this uuid exists. */
  createChatbot(chatbot: StoredChatbot, agents: StoredAgent[]): Promise<void>;
  chatbot(uuid: string): Promise<StoredChatbot | undefined>;
  /** Those whose answers cost this user's credits. */
  chatbots(owner: string): Promise<StoredChatbot[]>;
  /** Those of which this user is a member. */
  chatbotsOf(user: string): Promise<StoredChatbot[]>;
  /** Applies `change` to the newest state; changes of one record run one after another and lose nothing. */
  updateChatbot(uuid: string, change: Change<StoredChatbot>): Promise<StoredChatbot | undefined>;
  /** As `updateChatbot`, for a change that makes this user a member; undefined where the user is gone, too. */
  joinChatbot(uuid: string, user: string, change: Change<StoredChatbot>): Promise<StoredChatbot | undefined>;
  /** With its agents, sources, passages, sessions, messages and audit log. */
  deleteChatbot(uuid: string): Promise<boolean>;

  agents(chatbot: string): Promise<StoredAgent[]>;
  /** `check` sees the chatbot's agents as they are when it is stored; what it throws is thrown, and nothing stored. */
  createAgent(agent: StoredAgent, check?: (agents: StoredAgent[]) => void): Promise<boolean>;
  agent(uuid: string): Promise<StoredAgent | undefined>;
  /** The agent that has the tool function of this uuid. */
  agentWithFunction(uuid: string): Promise<StoredAgent | undefined>;
  updateAgent(uuid: string, change: Change<StoredAgent>): Promise<StoredAgent | undefined>;
  deleteAgent(uuid: string): Promise<boolean>;

  /** `data_source_uuids` of tags and agents only ever name sources of their chatbot that are there; others fall out. */
  createTag(tag: StoredTag): Promise<boolean>;
  tag(uuid: string): Promise<StoredTag | undefined>;
  tags(chatbot: string): Promise<StoredTag[]>;
  updateTag(uuid: string, change: Change<StoredTag>): Promise<StoredTag | undefined>;
  deleteTag(uuid: string): Promise<boolean>;

  /** `existing` is the source of that chatbot with the same `identity`, or with that as its `alias`; then nothing is stored. May reject with `HeldByUnreadable`. */
  createSource(source: StoredSource, file?: Uint8Array): Promise<{ existing: StoredSource | undefined } | undefined>;
  /** The bytes that an uploaded source was created with. */
  file(source: string): Promise<Uint8Array | undefined>;
  source(uuid: string): Promise<StoredSource | undefined>;
  sources(chatbot: string): Promise<StoredSource[]>;
  sourceCount(chatbot: string): Promise<number>;
  updateSource(uuid: string, change: Change<StoredSource>): Promise<StoredSource | undefined>;
  /**
   * As `updateSource`, for a change that gives the source this identity or alias. `existing` is another source of the
   * chatbot that goes by it; then nothing is changed. `undefined` where the source is gone. May reject with `HeldByUnreadable`.
   */
  claimIdentity(
    uuid: string,
    identity: string,
    change: Change<StoredSource>,
  ): Promise<{ existing: StoredSource | undefined } | undefined>;
  /** With its file and passages; it leaves its tags and agents. */
  deleteSource(uuid: string): Promise<boolean>;
  /** Those whose status says that learning has not ended: a restart takes them up again. */
  unfinishedSources(): Promise<StoredSource[]>;

  /** Of those learned, the ones whose passages have no vectors by that model. */
  unembeddedSources(model: string): Promise<StoredSource[]>;

  /** Replaces the source's text and passages whole, and drops the vectors of those before. */
  putDocument(source: string, document: SourceDocument): Promise<boolean>;
  document(source: string): Promise<SourceDocument | undefined>;
  /** The vectors of the passages that are there; it notes their model in `embedded_by`. */
  putVectors(source: string, vectors: StoredVectors): Promise<boolean>;
  vectors(source: string): Promise<StoredVectors | undefined>;

  createSession(session: StoredSession): Promise<boolean>;
  session(uuid: string): Promise<StoredSession | undefined>;
  /** Its uuid, of a session that cannot be read, too; undefined where there is no such session. */
  chatbotOf(session: string): Promise<string | undefined>;
  sessions(chatbot: string): Promise<StoredSession[]>;
  /** The same a few at a time, oldest first unless told otherwise, read when they are asked for; from behind the session `after`, undefined where the chatbot has none such. */
  sessionBatches(
    chatbot: string,
    after?: string,
    order?: ListOrder,
  ): Promise<AsyncIterable<StoredSession[]> | undefined>;
  /** What `deleteSession` goes by, of all that it may delete: of sessions that cannot be read, too. */
  sessionTimes(chatbot: string): AsyncIterable<Pick<StoredSession, 'uuid' | 'modified_at'>[]>;
  updateSession(uuid: string, change: Change<StoredSession>): Promise<StoredSession | undefined>;
  /** With its messages. With `before`, only where it was last modified before that time; false else. */
  deleteSession(uuid: string, before?: string): Promise<boolean>;

  /**
   * Stores a message or its newer version. An unfinished one survives the end of the process, and is durable with the
   * next version that is: it is not acknowledged before. `session` is given where the session is new: both are stored in one
   * write. `false` where the session has been deleted meanwhile.
   */
  saveMessage(message: StoredMessage, session?: StoredSession): Promise<boolean>;
  /** As the other updates. The end of an answer that is still being made replaces the message whole. */
  updateMessage(uuid: string, change: Change<StoredMessage>): Promise<StoredMessage | undefined>;
  /** A message that was unfinished when the process ended comes back with finish_reason `interrupted`. */
  message(uuid: string): Promise<StoredMessage | undefined>;
  messages(session: string): Promise<StoredMessage[]>;
  /** Whether one of its messages ended so. Costs no more than reading the session's file once. */
  hasOutcome(session: string, outcome: Outcome): Promise<boolean>;
  /** Of its finished messages that have a response the last `count`, oldest first; costs the same in a long session. */
  lastMessages(session: string, count: number): Promise<StoredMessage[]>;
  deleteMessage(uuid: string): Promise<boolean>;
  /**
   * Finished messages of a chatbot, without those of dry runs: the newest session first, and of a session the last message
   * first. Undefined where `after` is no place of the chatbot's. At the first search after an update or a crash a page may have
   * fewer messages than there are: `next` goes on.
   */
  findMessages(chatbot: string, filter: MessageFilter, options: FindOptions): Promise<FoundMessages | undefined>;

  /** What was answered to a request with that key; undefined for none, and once it is a day old. */
  reply(key: string): Promise<StoredReply | undefined>;
  /** Kept for a day; where there are tens of thousands, the oldest are forgotten early. */
  saveReply(reply: StoredReply): Promise<void>;

  /** Adds what an answer has cost; stays when its message or chatbot is deleted. What a full disk rejects is stored with the next. */
  addUsage(usage: Usage): Promise<void>;
  /** An owner's sums by chatbot, day and model, from day `from` to day `to`, both included, in order of days. Costs the same with many sessions. */
  usage(owner: string, from: string, to: string): Promise<Usage[]>;

  /** Waits for what is under way, gives the lock back. */
  close(): Promise<void>;
}

/** Returns the changed record; the argument may be changed in place. Throwing leaves all as it was. */
export type Change<T> = (record: T) => T;

export interface StoredChatbot extends Chatbot, Team {
  /** When its pages are fetched again; absent for never. */
  schedule?: Schedule;
  /** Days after its last message that a conversation is kept; 0 or absent for until it is deleted. */
  keep_days?: number;
  /** The settings that were ever sent; absent before the first. Frozen, in records handed out. */
  widget?: Readonly<Partial<WidgetSettings>>;
  /** The origins that its widget was first asked for from, oldest first, with the time of each; absent before the first. */
  seen_on?: readonly { origin: string; at: string }[];
  /** Groups of questions that are no gaps: digests of the terms of each (see `disguised`). Absent for none. */
  hidden_gaps?: string[][];
  /** Sources whose `suggestion` pages show, best first, and one of the site that most are from, or ''; absent until chosen. */
  suggested?: { sources: string[]; site: string };
}

export interface StoredAgent extends Agent {
  chatbot: string;
  routing?: AgentRouting;
}

export interface StoredTag extends SourceTag {
  chatbot: string;
}

/** The reply to a create that was sent with an `Idempotency-Key`. */
export interface StoredReply {
  /** Digests of user and key, and of the request. */
  key: string;
  request: string;
  status: number;
  /** Encrypted by the caller. */
  body: string;
  /** The header `X-Warnings`, as the body is; absent where the reply had none. */
  warnings?: string;
  created_at: string;
}

/** What answers have cost: of one, or summed. */
export interface Usage {
  owner: string;
  chatbot: string;
  /** In UTC, `YYYY-MM-DD`: when the question came. */
  day: string;
  /** Its name in the catalogue; '' where no model was asked. */
  model: string;
  messages: number;
  credits: number;
  tokens: number;
}

/** Of users, keys and facts: a file of its own in each engine. */
export type AccountVerbs = Pick<
  Store,
  | 'keyOwner'
  | 'addKey'
  | 'addFirstKey'
  | 'keys'
  | 'removeKey'
  | 'removeOwnKey'
  | 'keyUsed'
  | 'users'
  | 'usersByUuid'
  | 'userByEmail'
  | 'admitUser'
  | 'addUser'
  | 'removeUser'
  | 'fact'
  | 'setFact'
  | 'claimFact'
>;
