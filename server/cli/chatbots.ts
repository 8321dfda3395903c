import { readAddress } from '../api/resources/sources/sources.ts';
import type { Answer, ChatbotLine } from '../control/operator.ts';
import { NoServer } from '../control/socket.ts';
import type { MessageTrace } from '../schema/trace.ts';
import { pluralize, sanitizeLine, sanitizeText, table, type Command } from './command.ts';
import { explanation } from './explain.ts';
import { readKeepDays } from './conversations.ts';
import { CRAWL_HELP, CRAWL_OPTIONS, boundsOf, learn } from './learn.ts';

/** Chatbots, and one question to one of them. */
export const chatbotCommands: Record<string, Command> = {
  'chatbot add': {
    synopsis: 'NAME [--public] [--site URL]',
    summary: 'make a chatbot, print its uuid and its script tag, and teach it a site',
    details: `It belongs to owner@localhost and cites its sources. Without --public it is private: only holders of a key can ask it.
A name that a chatbot has already is refused. With data-settings in the tag a page shows the label, icon and teaser that the
server keeps; without it the page loads less until a visitor reaches for the chat.
${CRAWL_HELP}`,
    minWords: 1,
    maxWords: 1,
    options: { public: { type: 'boolean' }, site: { type: 'string' }, ...CRAWL_OPTIONS },
    async act(client, [name = ''], { site, public: isPublic, ...limits }, terminal) {
      const bounds = boundsOf({ site, ...limits });
      // Checks the address before it creates the chatbot.
      if (typeof site === 'string') readAddress(site);
      const { uuid, tag } = await client.addChatbot(name, isPublic ? 'public' : 'private');
      terminal.out(`${uuid}\n${tag}\n`);
      const works = `docent chatbot update ${uuid} --visibility public`;
      if (!isPublic) terminal.err(`It is private: the tag works after "${works}", or hybrid.\n`);
      if (typeof site !== 'string') return 0;
      return learn(client, { chatbot: uuid, url: site, bounds }, terminal).catch((error: unknown) => {
        // Repeating the command would be refused: the chatbot exists.
        if (!(error instanceof NoServer)) throw error;
        throw new Error(`the server has ended; "docent learn ${uuid} ${site} --site" teaches it`, { cause: error });
      });
    },
  },
  'chatbot list': {
    synopsis: '',
    summary: 'list the chatbots of all users',
    minWords: 0,
    maxWords: 0,
    async act(client, _words, _options, { out }) {
      const rows = (await client.chatbots()).map(chatbotRow);
      out(table([['UUID', 'NAME', 'USER', 'VISIBILITY', 'SOURCES', 'CREATED'], ...rows]));
    },
  },
  'chatbot update': {
    synopsis: 'CHATBOT [--visibility VALUE] [--keep-days DAYS]',
    summary: 'change who may ask a chatbot, or how long it keeps conversations',
    details: `--visibility private: holders of a key only. hybrid: pages, too. public: it also has a page of its own, /c/UUID.
--keep-days: a conversation is deleted so many days after its last message, at once and then every hour; 0 keeps all.
`,
    minWords: 1,
    maxWords: 1,
    options: { visibility: { type: 'string' }, 'keep-days': { type: 'string' } },
    needsOneOf: ['visibility', 'keep-days'],
    async act(client, [chatbot = ''], { visibility, 'keep-days': days }, { out }) {
      const keepDays = days === undefined ? undefined : readKeepDays(days);
      if (visibility !== undefined) {
        const { name, meta } = await client.updateChatbot(chatbot, { visibility });
        out(`${sanitizeLine(name)} is ${meta.visibility}\n`);
      }
      if (keepDays === undefined) return;
      const { name, deleted } = await client.keepConversations(chatbot, keepDays);
      const kept =
        keepDays === 0 ? 'until they are deleted' : `for ${pluralize(keepDays, 'day')} after the last message`;
      out(`${sanitizeLine(name)} keeps conversations ${kept}; deleted ${pluralize(deleted, 'conversation')}\n`);
    },
  },
  'chatbot remove': {
    synopsis: 'CHATBOT',
    summary: 'delete a chatbot with its pages and conversations',
    minWords: 1,
    maxWords: 1,
    async act(client, [chatbot = ''], _options, { out }) {
      const { name, uuid, sources } = await client.removeChatbot(chatbot);
      out(`deleted the chatbot ${sanitizeLine(name)} (${uuid}) with ${pluralize(sources, 'source')}\n`);
    },
  },
  ask: {
    synopsis: 'CHATBOT QUESTION [--explain]',
    summary: 'ask a chatbot, and print its answer with the sources',
    details: `The question is asked as a visitor would ask it, and is not kept; but functions of the class write are called, and change what
they change for visitors. CHATBOT is a uuid, or a name that only one chatbot has.
With --explain it also tells how the answer came about: the words that counted, the passages and sentences with their scores,
and what an answer needs. Functions of the classes write and ask are not called then.
`,
    minWords: 2,
    maxWords: Infinity,
    options: { explain: { type: 'boolean' } },
    async act(client, [chatbot = '', ...question], { explain }, { out, err }) {
      const trace = explain ? await client.explain(chatbot, question.join(' ')) : undefined;
      const { answer, sources, fallback, fault } = trace
        ? answerOf(trace)
        : await client.ask(chatbot, question.join(' '));
      const lines = sources.map(
        ({ marker, title, address }) =>
          `[${marker}] ${[title, address].filter(Boolean).map(sanitizeLine).join(': ')}\n`,
      );
      out(`${sanitizeText(answer)}\n${lines.length > 0 ? `\n${lines.join('')}` : ''}`);
      if (trace) out(`\n${explanation(trace)}`);
      if (fallback === 'quota') err('docent: the sources are quoted, for MONTHLY_CREDITS are spent\n');
      else if (fallback) err(`docent: the sources are quoted, for the model failed: ${sanitizeText(fallback)}\n`);
      if (fault) err(`docent: the answer failed: ${sanitizeText(fault)}\n`);
      return fault ? 1 : 0;
    },
  },
};

const answerOf = ({ answer, citations, fallback, error_message }: MessageTrace): Answer => ({
  answer,
  sources: citations,
  fallback,
  fault: error_message,
});

const chatbotRow = ({ uuid, name, email, visibility, sources, created_at }: ChatbotLine): string[] => [
  uuid,
  sanitizeLine(name),
  email || '(gone)',
  visibility,
  String(sources),
  created_at,
];
