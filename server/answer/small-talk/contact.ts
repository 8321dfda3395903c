import type { Found, SearchResult } from '../../knowledge/search/found.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';

/** What pages call the ways to reach someone, by language. */
const CONTACT_WORDS: Record<LanguageCode, string> = {
  ar: 'اتصل بنا تواصل معنا الهاتف البريد الإلكتروني',
  bg: 'контакти свържете се с нас телефон имейл',
  cs: 'kontakt kontakty telefon e-mail',
  da: 'kontakt os kontakt telefon e-mail',
  de: 'Kontakt Telefon E-Mail Kundendienst',
  el: 'επικοινωνία τηλέφωνο email',
  en: 'contact us phone email customer service',
  es: 'contacto contáctenos teléfono correo electrónico',
  fi: 'yhteystiedot ota yhteyttä puhelin sähköposti',
  fr: 'contact contactez-nous téléphone e-mail',
  he: 'צור קשר טלפון דואר אלקטרוני',
  hi: 'संपर्क करें फ़ोन ईमेल',
  hu: 'kapcsolat elérhetőség telefon e-mail',
  it: 'contatti contattaci telefono e-mail',
  ja: 'お問い合わせ 連絡先 電話 メール',
  ko: '문의 연락처 전화 이메일',
  nb: 'kontakt oss kontakt telefon e-post',
  nl: 'contact contactgegevens telefoon e-mail klantenservice',
  pl: 'kontakt telefon e-mail',
  pt: 'contato contacto fale conosco telefone e-mail',
  ro: 'contact contactați-ne telefon e-mail',
  ru: 'контакты связаться с нами телефон почта',
  sv: 'kontakta oss kontakt telefon e-post',
  th: 'ติดต่อเรา โทรศัพท์ อีเมล',
  tr: 'iletişim bize ulaşın telefon e-posta',
  uk: 'контакти зв’язатися з нами телефон пошта',
  vi: 'liên hệ điện thoại email',
  zh: '联系我们 聯絡我們 电话 邮箱',
};

/** In all languages, for a site in one that the visitor does not speak. */
const ALL_WORDS = Object.values(CONTACT_WORDS).join(' ');

/** In a title, a heading or an address: the page says how to reach someone. */
const TITLED =
  /(?<!\p{L})(?:contacts?(?![- ]lens)|kontakte?|kontakta|kontakty|contatti|contattaci|contactos?|contatos?|cont[aá]ctenos|contactez|contactgegevens|impressum|imprint|yhteystiedot|ileti[sş]im|kapcsolat|el[eé]rhet[oő]s[eé]g|fale conosco|klantenservice|kundendienst|kundeservice|kundtj[aä]nst|customer (?:service|care|support)|get in touch|li[eê]n h[eệ])(?!\p{L})|контакт|связаться|зв['’]яз|свържете|επικοινων|اتصل|تواصل|צור קשר|צרו קשר|יצירת קשר|संपर्क|ติดต่อ|联系|聯絡|联络|聯繫|問い合わせ|問合せ|連絡先|문의|연락/iu;
const EMAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
const PHONE = /(?<![\p{N}\p{L}])(?:\+|\(0|0)[\d(][\d ()/.–-]{6,}\d/u;

type Search = (words: string) => Promise<SearchResult>;

/**
 * The passages that say how to reach someone, best first: in the visitor's language, else English, else any. Three searches
 * at most, as each may cost a request to a server of embeddings. `titledOnly`: of pages that say so in title, heading or address.
 */
export async function findContact(
  search: Search,
  spoken: LanguageCode,
  { titledOnly = false }: { titledOnly?: boolean } = {},
): Promise<Found[]> {
  for (const words of new Set([CONTACT_WORDS[spoken], CONTACT_WORDS.en, ALL_WORDS])) {
    const { found } = await search(words);
    const titled = found.filter(({ source, headings }) =>
      [source.title, ...headings, pathOf(source.file_name)].some((name) => TITLED.test(name)),
    );
    const telling = found.filter(({ text }) => EMAIL.test(text) || PHONE.test(text));
    const both = titled.filter((one) => telling.includes(one));
    const best = both.length > 0 ? both : titled.length > 0 || titledOnly ? titled : telling;
    if (best.length > 0) return best;
  }
  return [];
}

/** The words of an address, its host left out: `contact.example` may be any site. */
const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]*/i, '').replace(/[-_/.]+/g, ' ');
