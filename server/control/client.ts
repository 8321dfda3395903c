import { isPending, type Chatbot, type DataSource } from '../schema/records.ts';
import { Refusal } from '../schema/errors.ts';
import { readUuid } from '../schema/ids.ts';
import { jsonIn } from '../schema/json.ts';
import type { MessageTrace } from '../schema/trace.ts';
import { findChatbot, filterByName } from './find-by-name.ts';
import type { IngestJob } from './ingest-jobs.ts';
import type { Answer, ChatbotLine, RemovedUser } from './operator.ts';
import type { ForgottenSession } from './retention.ts';
import { otherVersion, type Send } from './socket.ts';
import type { KeyLine, PasskeyLine, SignInLine, UserLine } from './users.ts';

/** The bounds of a site, as `NewSite` has them. */
export interface CrawlBounds {
  max_pages?: number | undefined;
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

/** One request to the API; rejects with the server's sentence where it is refused. */
type ApiCall = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>;

/**
 * What commands ask of a server. `named` is a chatbot's uuid, or a name that only one chatbot has. What the server refuses
 * rejects with its sentence and has changed nothing.
 */
export class Client {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** `owner`: the user that the installation was made for, another in each. */
  server(): Promise<{ base: string; engine?: string; owner?: string }> {
    return this.#get('/control/server');
  }

  users(): Promise<UserLine[]> {
    return this.#get('/control/users');
  }

  /** Resolves with the address as it is stored: in lower case. */
  async addUser(email: string): Promise<string> {
    const added = await this.#post<{ email: string }>('/control/user/add', { email });
    return added.email;
  }

  removeUser(email: string, withChatbots: boolean): Promise<RemovedUser> {
    return this.#post('/control/user/remove', { email, with_chatbots: withChatbots });
  }

  /** A link that signs a browser in to the console, once and for 30 minutes, as this user; as the owner by default. */
  addLoginLink(email?: string): Promise<{ link: string; email: string }> {
    return this.#post('/control/login', { email });
  }

  /** Of one user, or of all. */
  signIns(email?: string): Promise<SignInLine[]> {
    return this.#post('/control/sign-ins', { email });
  }

  /** `signIns` by the first characters of their uuids; [] for all of the user. Resolves with those that have ended. */
  endSignIns(email: string, signIns: string[]): Promise<SignInLine[]> {
    return this.#post('/control/sign-ins/end', { email, sign_ins: signIns });
  }

  /** Of one user, or of all. */
  passkeys(email?: string): Promise<PasskeyLine[]> {
    return this.#post('/control/passkeys', { email });
  }

  /** By the first characters of its uuid. Resolves with what it was. */
  removePasskey(passkey: string): Promise<PasskeyLine> {
    return this.#post('/control/passkey/remove', { passkey });
  }

  keys(): Promise<KeyLine[]> {
    return this.#get('/control/keys');
  }

  /** Resolves with the key itself, which is not stored. */
  async addKey(email: string, name: string): Promise<string> {
    const { key } = await this.#post<{ key: string }>('/control/key/add', { email, name });
    return key;
  }

  revokeKeys(keys: string[]): Promise<KeyLine[]> {
    return this.#post('/control/keys/revoke', { keys });
  }

  chatbots(): Promise<ChatbotLine[]> {
    return this.#get('/control/chatbots');
  }

  /** For the owner of the data folder. Resolves with the script tag that puts it into a page. */
  async addChatbot(name: string, visibility: string): Promise<{ uuid: string; tag: string }> {
    const [known] = filterByName(name, await this.chatbots());
    if (known) throw nameTaken(known);
    const { base } = await this.server();
    const body = { name, visibility, show_citations: true };
    const { uuid } = await this.#post<Chatbot>('/api/v1/chatbot/create', body);
    return { uuid, tag: `<script async src="${base}/embed.js" data-chatbot="${uuid}" data-settings></script>` };
  }

  async updateChatbot(named: string, change: { visibility: string }): Promise<Chatbot> {
    const { uuid, email } = await this.#findOwned(named);
    return this.#post(`/api/v1/chatbot/${uuid}/update`, change, email);
  }

  /**
   * `days` 0 for until they are deleted. Resolves with the chatbot's name, and how many conversations were older. By uuid also
   * a chatbot of the upstream server, which no list has.
   */
  async keepConversations(named: string, days: number): Promise<{ name: string; deleted: number }> {
    const uuid = readUuid(named) ?? (await this.#find(named)).uuid;
    return this.#post(`/control/chatbot/${uuid}/keep-days`, { days });
  }

  /** Deletes a conversation; resolves with what it was. */
  forget(session: string): Promise<ForgottenSession> {
    return this.#post('/control/forget', { session });
  }

  /** Resolves with what it was. */
  async removeChatbot(named: string): Promise<ChatbotLine> {
    const chatbot = await this.#find(named);
    await this.#post(`/control/chatbot/${chatbot.uuid}/remove`, {});
    return chatbot;
  }

  async ask(named: string, query: string): Promise<Answer> {
    const { uuid } = await this.#find(named);
    return this.#post(`/control/chatbot/${uuid}/ask`, { query });
  }

  async explain(named: string, query: string): Promise<MessageTrace> {
    const { uuid } = await this.#find(named);
    return this.#post(`/control/chatbot/${uuid}/explain`, { query });
  }

  /**
   * Begins to learn the page at `url`, or with `bounds` its whole site. One that is known is learned again; where that is
   * under way already, this is that job.
   */
  async ingest(named: string, url: string, bounds?: CrawlBounds): Promise<IngestJob> {
    const { uuid, email } = await this.#findOwned(named);
    const path = `/api/v1/chatbot/${uuid}/data-source`;
    const site = bounds && (await this.#post<{ uuid: string }>(`${path}/site`, { ...bounds, url }, email));
    return this.job(site?.uuid ?? (await this.#ingestPage(`${path}/url`, url, email)));
  }

  async #ingestPage(path: string, url: string, email: string): Promise<string> {
    const { status, body } = await this.#request<DataSource>('POST', path, { url }, email);
    const isKnown = status === 409;
    if (isKnown && !isPending(body.status))
      await this.#post('/api/v1/data-sources/url/re-scrape', { uuids: [body.uuid] }, email);
    return body.uuid;
  }

  job(uuid: string): Promise<IngestJob> {
    return this.#get(`/control/job/${uuid}`);
  }

  /** Stops a site; what is learned of it stays. A page alone is learned to its end. */
  stopJob(uuid: string): Promise<IngestJob> {
    return this.#post(`/control/job/${uuid}/stop`, {});
  }

  /** The chatbot of that name or uuid, and requests to the API as its owner. */
  async api(named: string): Promise<{ chatbot: ChatbotLine; call: ApiCall }> {
    const chatbot = await this.#findOwned(named);
    const call: ApiCall = async <T>(method: string, path: string, body?: object) =>
      (await this.#request<T>(method, path, body, chatbot.email)).body;
    return { chatbot, call };
  }

  async #find(named: string): Promise<ChatbotLine> {
    return findChatbot(named, await this.chatbots());
  }

  async #findOwned(named: string): Promise<ChatbotLine> {
    const chatbot = await this.#find(named);
    if (chatbot.email !== '') return chatbot;
    const { name, uuid } = chatbot;
    const sentence = `the user of the chatbot ${name} is gone; "docent chatbot remove ${uuid}" deletes it`;
    throw new Refusal('conflict', sentence);
  }

  async #get<T>(path: string): Promise<T> {
    return (await this.#request<T>('GET', path)).body;
  }

  async #post<T>(path: string, body: object, user?: string): Promise<T> {
    return (await this.#request<T>('POST', path, body, user)).body;
  }

  /** `user` is whose records it is about; the owner of the data folder by default. */
  async #request<T>(method: string, path: string, body?: object, user?: string): Promise<{ status: number; body: T }> {
    const sent = body && JSON.stringify(body);
    const headers = {
      // A header holds Latin-1 at most, an address any letter.
      ...(user ? { authorization: `User ${encodeURIComponent(user)}` } : {}),
      ...(sent ? { 'content-type': 'application/json' } : {}),
    };
    const reply = await this.#send({ method, path, headers, body: sent });
    return { status: reply.status, body: readReply(reply.text) };
  }
}

function readReply<T>(json: string): T {
  const body = jsonIn(json);
  if (typeof body !== 'object' || body === null) throw otherVersion();
  if ('error' in body) throw new Error(String(body.error));
  return body as T;
}

const nameTaken = ({ name, uuid }: ChatbotLine): Refusal =>
  new Refusal(
    'conflict',
    `there is a chatbot "${name}" already; "docent learn ${uuid} URL --site" teaches it, or choose another name`,
  );
