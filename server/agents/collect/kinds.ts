import type { AgentVariable } from '../../schema/variables.ts';

/** What a variable's value looks like in a message, by its type, example, name and description. */

/** A value in a text, from `start` to before `end`. */
export interface Candidate {
  value: string | number;
  start: number;
  end: number;
}

export interface Kind {
  /** Kinds of the same name look for the same values. */
  name: string;
  /** A value counts only where the message or the question before it says what it is. */
  needsEvidence: boolean;
  find(text: string): Candidate[];
  /** Finds values of which the letters in front are left out, and puts these there. */
  withoutLetters?: Kind | undefined;
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,24}/gu;
const PHONE = /(?<![\p{L}\p{N}.,#-])(?:\+\s?)?\(?\d(?:[ ()./-]{0,2}\d){6,14}(?![\p{L}\p{N}-])/gu;
const DATE = /^\(?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{1,2}-\d{1,2})/u;
const NUMBER = /(?<![\p{L}\p{N}.,@#/:+-])-?\d{1,12}(?:[.,]\d{1,6})?(?![\p{L}\p{N}@/:%]|[.,-]\d|-\p{L})/gu;
const REFERENCE =
  /(?<![\p{L}\p{N}@.-])#?(?=[\p{L}-]*\d)[\p{Lu}\p{Ll}\d](?:[\p{L}\d]|[-/](?=[\p{L}\d])){3,24}(?![\p{L}\p{N}@])/gu;

const MAIL_WORDS =
  /(?<!\p{L})(?:e-?mail\p{L}*|mail|courriel|correo|epost|e-post|sähköposti|почта|пошта|имейл|posta elettronica|email_?\p{L}*)(?!\p{L})|メール|邮箱|郵箱|电子邮件|電子郵件|이메일|อีเมล|ईमेल|البريد|דוא/iu;
const PHONE_WORDS =
  /(?<!\p{L})(?:phone\p{L}*|telephone|mobile|cell|tel|telefon\p{L}*|handy\p{L}*|teléfono|móvil|téléphone|portable|telefono|cellulare|telefone|celular|telemóvel|telefoon\p{L}*|puhelin\p{L}*|телефон\p{L}*)(?!\p{L})|電話|电话|전화|โทรศัพท์|फ़ोन|هاتف|טלפון|điện thoại/iu;
const REFERENCE_WORDS =
  /(?<!\p{L})(?:(?:order|booking|ticket|customer|client|invoice|reference|tracking|case|member|membership|account|contract|serial|parcel|shipment) ?(?:number|num|no|nr|id|code|ref)|\p{L}*(?:bestell|auftrags|kunden|rechnungs|vertrags|ticket|order|bestel|klant|faktuur|ordre|kund|faktura|tilaus)(?:-| )?num(?:m|b)er|(?:número|numero|numéro|núm|n[º°]) (?:de |do |da |d[’']|di |della )?\p{L}{4,}|номер (?:заказа|замовлення|поръчка))(?!\p{L})|注文番号|订单号|訂單號|주문번호/iu;

/** Undefined where the value has no form of its own: only a model can tell it. */
export function kindOf({ name, description, example, type }: AgentVariable): Kind | undefined {
  if (type === 'number' && DIGITS.test(example)) return digitsOf(example, Number);
  if (type === 'number') return { name: 'number', needsEvidence: true, find: findNumbers };
  if (type === 'boolean') return undefined;
  const words = `${wordsOfName(name)} ${description}`;
  if (example.includes('@') || MAIL_WORDS.test(words)) return { name: 'email', needsEvidence: false, find: findEmails };
  if (isPhone(example) || PHONE_WORDS.test(words)) return { name: 'phone', needsEvidence: false, find: findPhones };
  if (DIGITS.test(example)) return digitsOf(example, String);
  if (/\d/.test(example) && example.length <= MAX_EXAMPLE) return shapeOf(example);
  return REFERENCE_WORDS.test(words) ? { name: 'reference', needsEvidence: true, find: findReferences } : undefined;
}

/** “customer number” in a description; '' where there is no such thing. */
export const referenceIn = (description: string): string => REFERENCE_WORDS.exec(description)?.[0] ?? '';

export const speaksOfPhone = (text: string): boolean => PHONE_WORDS.test(text);

/** `orderNumber` and `order_number` are two words. */
export const wordsOfName = (name: string): string =>
  name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replace(/[_.-]+/g, ' ');

const matchesOf = (pattern: RegExp, text: string, valueOf: (found: string) => Candidate['value'] | undefined) =>
  Array.from(text.matchAll(pattern)).flatMap(({ 0: found, index }): Candidate[] => {
    const value = valueOf(found);
    return value === undefined ? [] : [{ value, start: index, end: index + found.length }];
  });

const findEmails = (text: string): Candidate[] => matchesOf(EMAIL, text, (found) => found.replace(/^\.+/, ''));

const findPhones = (text: string): Candidate[] =>
  matchesOf(PHONE, text, (found) => (isPhone(found) ? found.replace(/\s+/g, ' ').trim() : undefined));

/** Shorter ones without a zero or a plus in front are rather order numbers. */
function isPhone(text: string): boolean {
  if (DATE.test(text) || !/^[+\d\s()./-]+$/.test(text)) return false;
  const digits = text.replace(/\D/g, '').length;
  return (
    digits <= 15 && (/^\s*(?:\+|\(?0)/.test(text) ? digits >= 7 : digits >= 10 || (digits >= 7 && /[\s().]/.test(text)))
  );
}

const findNumbers = (text: string): Candidate[] =>
  matchesOf(NUMBER, text, (found) => {
    // In some languages a thousand, in others one: nobody can tell.
    if (/^-?\d{1,3}\.\d{3}$/.test(found)) return undefined;
    const plain = /^-?\d{1,3},\d{3}$/.test(found) ? found.replace(',', '') : found.replace(',', '.');
    return Number(plain);
  });

const findReferences = (text: string): Candidate[] =>
  matchesOf(REFERENCE, text, (found) => (isPhone(found) || DATE.test(found) ? undefined : found.replace(/^#/, '')));

/** An example of digits alone, of a reference rather than of an amount. */
const DIGITS = /^\d{4,15}$/;
const RUN_OF_DIGITS = /(?<![\p{L}\p{N}@+.,#/:-])#?\d+(?: \d{2,})*(?![\p{L}\p{N}@/:%]|[.,-]\d|-\p{L})/gu;

/** Values about as long as the example; written in groups, exactly as long. */
function digitsOf({ length }: string, valueOf: (digits: string) => string | number): Kind {
  return {
    name: `shape of ${length} digits ${valueOf.name}`,
    needsEvidence: true,
    find: (text) =>
      matchesOf(RUN_OF_DIGITS, text, (found) => {
        const digits = found.replace(/\D/g, '');
        const isGrouped = found.includes(' ');
        const fits = isGrouped ? digits.length === length : digits.length >= length - 1 && digits.length <= length + 2;
        return fits ? valueOf(digits) : undefined;
      }),
  };
}

/** Runs of digits in a form; of more, each has to be as long as the example's: every length that is tried multiplies the work. */
const [MAX_EXAMPLE, MAX_INEXACT] = [40, 3];

/** "No. 1234" has no letters of its own. */
const NUMBER_SIGN = /^(?:no|nr)\./i;
const LETTERS_IN_FRONT = /^(\p{L}+[^\p{L}\d]*)(\d{4,15})$/u;

/** Values of the example's form: as many letters, about as many digits, whatever stands between them; written as the example is. */
function shapeOf(example: string): Kind {
  const parts = example.match(/\p{L}+|\d+|[^\p{L}\d]+/gu) ?? [];
  const isUpper = example === example.toUpperCase();
  const isExact = parts.filter((part) => /^\d/.test(part)).length > MAX_INEXACT;
  const sources = parts.map((part) => {
    const { length } = part;
    if (/^\d/.test(part)) return isExact ? `(\\d{${length}})` : `(\\d{${Math.max(1, length - 1)},${length + 2}})`;
    // No two alternatives fit the same letters.
    if (/^\p{L}/u.test(part))
      return isUpper ? `(\\p{Lu}{${length}}|(?!\\p{Lu}{${length}})\\p{L}{${length}}(?! ))` : `(\\p{L}{${length}})`;
    return `([-–—_/.# ]{0,${length + 1}})`;
  });
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}@])${sources.join('')}(?![\\p{L}\\p{N}@]|[-./]\\d)`, 'gu');
  const written = (groups: string[]): string =>
    parts.map((part, at) => (/^[\p{L}\d]/u.test(part) ? groups[at] : part)).join('');
  const [, letters, digits] = LETTERS_IN_FRONT.exec(example) ?? [];
  return {
    ...(letters && digits ? { withoutLetters: digitsOf(digits, (found) => letters + found) } : {}),
    name: `shape ${pattern.source}`,
    needsEvidence: /^\d+$/.test(example),
    find: (text) =>
      Array.from(text.matchAll(pattern)).flatMap(({ 0: found, index, ...groups }) => {
        if (NUMBER_SIGN.test(found)) return [];
        const value = written(parts.map((_, at) => (groups as Record<number, string>)[at + 1]!));
        return [{ value: isUpper ? value.toUpperCase() : value, start: index, end: index + found.length }];
      }),
  };
}
