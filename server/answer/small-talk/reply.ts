import type { AgentType } from '../../schema/records.ts';
import type { Found } from '../../knowledge/search/found.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { escaped, linksTo } from '../extract/page-links.ts';
import type { TalkKind } from './known/known.ts';
import { GERMANIC } from './said/germanic.ts';
import { LANGUAGES_SPOKEN } from './said/languages.ts';
import { NORDIC } from './said/nordic.ts';
import { TO_REMARKS } from './said/remarks.ts';
import type { Said } from './said/reply.ts';
import { ROMANCE } from './said/romance.ts';
import { SLAVIC } from './said/slavic.ts';
import { SOUTHERN } from './said/southern.ts';
import { UNSPACED } from './said/unspaced.ts';

const SAID: Record<LanguageCode, Said> = {
  ...GERMANIC,
  ...ROMANCE,
  ...NORDIC,
  ...SLAVIC,
  ...SOUTHERN,
  ...UNSPACED,
};

export interface Speaker {
  language: LanguageCode;
  /** The chatbot's name. */
  name: string;
  /** The owner's own sentences, by the names of `REPLY_WORDS`. */
  words: Readonly<Record<string, string>>;
  /** A human-escalation agent is enabled. */
  canPass: boolean;
}

/** The reply to small talk, in Markdown. */
export function replyTo(kind: TalkKind, speaker: Speaker): string {
  const { language, name, words, canPass } = speaker;
  const own = words[`reply_${ABOUT_ROBOTS.has(kind) ? 'robot' : kind === 'trial' ? 'ready' : kind}`];
  const sentence = own || sentenceFor(kind, language);
  const reply = sentence.replaceAll('{name}', () => escaped(name));
  return canPass && OFFERING.has(kind) ? joined(reply, offerOf(speaker)) : reply;
}

/** Whether it is our greeting, whose question no yes and no no answers. */
export const isOwnGreeting = (reply: string): boolean => Object.values(SAID).some(({ greeting }) => greeting === reply);

function sentenceFor(kind: TalkKind, language: LanguageCode): string {
  const said = SAID[language];
  if (kind === 'robot') return joined(said.yes, said.robot);
  if (kind === 'human') return joined(said.no, said.robot);
  if (kind === 'languages') return LANGUAGES_SPOKEN[language];
  if (kind === 'complaint' || kind === 'praise') return TO_REMARKS[language][kind];
  if (kind === 'name') return joined(TO_REMARKS[language].name, said.ready);
  if (kind === 'presence') return joined(said.yes, said.ready);
  return said[kind === 'either' ? 'robot' : kind === 'trial' ? 'ready' : kind];
}

const ABOUT_ROBOTS: ReadonlySet<TalkKind> = new Set(['robot', 'human', 'either']);
/** After these replies a person is offered. */
const OFFERING: ReadonlySet<TalkKind> = new Set(['abilities', 'complaint', ...ABOUT_ROBOTS]);

/** Chinese and Japanese put no space between sentences. */
const joined = (one: string, next: string): string => (one.endsWith('。') ? one + next : `${one} ${next}`);

/** That a person can be asked for; '' where none can. */
export const offerOf = ({ language, words, canPass }: Speaker): string =>
  canPass ? words['reply_person'] || SAID[language].person : '';

/** The reply to a wish for a person where no agent takes it: the pages that tell how to reach someone. */
export function contactReply(pages: Found[], { language, words }: Speaker): string {
  const { contact, noContact } = SAID[language];
  const links = linksTo(pages);
  return links ? `${words['reply_contact'] || contact}\n\n${links}` : words['reply_no_contact'] || noContact;
}

/** What follows “I don’t know” where no agent takes a wish for a person: as `contactReply`, shorter, '' without pages. */
export function contactOffer(pages: Found[], { language, words }: Speaker): string {
  const { contact } = SAID[language];
  const links = linksTo(pages);
  // Its second sentence: nobody has asked for a person.
  return links && `${words['reply_contact'] || contact.slice(contact.search(/[.。।]/) + 1).trim()}\n\n${links}`;
}

/** For an agent whose owner wrote no message. */
export function defaultMessage(type: AgentType, language: LanguageCode): string {
  const { requested, spam, canned } = SAID[language];
  return type === 'human-escalation' ? requested : type === 'spam-defense' ? spam : canned;
}
