import type { AgentType } from '../../schema/records.ts';
import type { Found } from '../../knowledge/search/found.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';
import { escaped, linksTo } from '../extract/page-links.ts';
import type { TalkKind } from './known/known.ts';
import { GERMANIC } from './said/germanic.ts';
import { NORDIC } from './said/nordic.ts';
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
  const { yes, no, ...said } = SAID[language];
  const own = words[`reply_${kind === 'human' ? 'robot' : kind}`];
  const sentence =
    own || (kind === 'robot' ? joined(yes, said.robot) : kind === 'human' ? joined(no, said.robot) : said[kind]);
  const reply = sentence.replaceAll('{name}', () => escaped(name));
  return canPass && OFFERED.has(kind) ? joined(reply, offerOf(speaker)) : reply;
}

/** Chinese and Japanese put no space between sentences. */
const joined = (one: string, next: string): string => (one.endsWith('。') ? one + next : `${one} ${next}`);

/** With what may be the beginning of a wish for a person, one is offered. */
const OFFERED: ReadonlySet<TalkKind> = new Set(['robot', 'human', 'abilities']);

/** That a person can be asked for; '' where none can. */
export const offerOf = ({ language, words, canPass }: Speaker): string =>
  canPass ? words['reply_person'] || SAID[language].person : '';

/** The reply to a wish for a person where no agent takes it: the pages that tell how to reach someone. */
export function contactReply(pages: Found[], { language, words }: Speaker): string {
  const { contact, noContact } = SAID[language];
  const links = linksTo(pages);
  return links ? `${words['reply_contact'] || contact}\n\n${links}` : words['reply_no_contact'] || noContact;
}

/** For an agent whose owner wrote no message. */
export function defaultMessage(type: AgentType, language: LanguageCode): string {
  const { requested, spam, canned } = SAID[language];
  return type === 'human-escalation' ? requested : type === 'spam-defense' ? spam : canned;
}
