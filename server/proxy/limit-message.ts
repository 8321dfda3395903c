import { QueryLanguage } from '../knowledge/text/detect-language.ts';
import type { LanguageCode } from '../knowledge/text/languages.ts';
import { DEFAULT_LIMIT_MESSAGE } from '../schema/visitor.ts';
import type { StoredChatbot } from '../store/store.ts';

/** The default `rate_limit_message` in every language that the server speaks. */
const MESSAGES: Record<LanguageCode, string> = {
  ar: 'رسائل كثيرة جدًا',
  bg: 'Твърде много съобщения',
  cs: 'Příliš mnoho zpráv',
  da: 'For mange beskeder',
  de: 'Zu viele Nachrichten',
  el: 'Πάρα πολλά μηνύματα',
  en: DEFAULT_LIMIT_MESSAGE,
  es: 'Demasiados mensajes',
  fi: 'Liian monta viestiä',
  fr: 'Trop de messages',
  he: 'יותר מדי הודעות',
  hi: 'बहुत ज़्यादा संदेश',
  hu: 'Túl sok üzenet',
  it: 'Troppi messaggi',
  ja: 'メッセージが多すぎます',
  ko: '메시지가 너무 많습니다',
  nb: 'For mange meldinger',
  nl: 'Te veel berichten',
  pl: 'Zbyt wiele wiadomości',
  pt: 'Demasiadas mensagens',
  ro: 'Prea multe mesaje',
  ru: 'Слишком много сообщений',
  sv: 'För många meddelanden',
  th: 'ข้อความมากเกินไป',
  tr: 'Çok fazla mesaj',
  uk: 'Забагато повідомлень',
  vi: 'Quá nhiều tin nhắn',
  zh: '消息过多',
};

/**
 * What a visitor over the rate limit reads: the owner's words as they are; where these are the default or empty, the default in the
 * language of the question, else of the widget's setting, else of the browser.
 */
export async function limitMessage(
  { meta, widget }: Pick<StoredChatbot, 'meta' | 'widget'>,
  query: string,
  acceptedLanguages: readonly string[],
): Promise<string> {
  const { rate_limit_message: message } = meta;
  if (message !== '' && message !== DEFAULT_LIMIT_MESSAGE) return message;
  const tags = [widget?.language ?? '', ...acceptedLanguages].filter(Boolean);
  const language = new QueryLanguage(query);
  await language.load();
  return MESSAGES[language.replyLanguage([], tags)];
}
