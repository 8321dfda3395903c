import { describe, expect, it, test } from 'vitest';
import { collect } from '../../server/agents/collect/collect.ts';
import { anAgent } from '../store/records.ts';

const variable = (name: string, { type = 'string', description = '', example = '', fixed = 0 } = {}) => ({
  name,
  description,
  example,
  type,
  default_value: { content: '', static: fixed },
});
const AGENT = anAgent('a'.repeat(32), {
  variables: [
    variable('email', { description: 'Where we write to' }),
    variable('phone', { example: '+49 30 1234567' }),
    variable('order', { description: 'Number of the order', example: 'AB-1234' }),
    variable('seats', { type: 'number', description: 'How many people come' }),
    variable('newsletter', { type: 'boolean', description: 'Whether the visitor wants the newsletter' }),
    variable('city'),
    variable('plan', { fixed: 1, example: 'P-1' }),
  ],
});

test.each<[string, object | undefined, string?]>([
  ['my mail is ada@example.com.', { email: 'ada@example.com' }],
  ['write to ada.l+x@sub.example.co.uk, please', { email: 'ada.l+x@sub.example.co.uk' }],
  ['ada@example.com, no, it is ada@example.org', { email: 'ada@example.org' }],
  ['ada@example.com. Sorry, ada@example.org', { email: 'ada@example.org' }],
  ['not ada@example.com but ada@example.org', { email: 'ada@example.org' }],
  ['it is ada@example.org, not ada@example.com', { email: 'ada@example.org' }],
  ['ada@example.com, copy to bob@example.com', { email: 'ada@example.com' }],
  ['Is your email info@shop.example?', undefined],
  ['it is not ada@example.com', undefined],
  ['Meine Nummer: 030 1234567', { phone: '030 1234567' }],
  ['call +1 (415) 555-0132 after six', { phone: '+1 (415) 555-0132' }],
  ['we meet on 12.11.2026 or 2026-11-12', undefined],
  ['where is AB-1234?', { order: 'AB-1234' }],
  ['where is ab1234', { order: 'AB-1234' }],
  ['AB 12345 has not come', { order: 'AB-12345' }],
  ['it was AB-1234, nein, AB-1235', { order: 'AB-1235' }],
  ['es war nicht AB-1234, sondern AB-1235', { order: 'AB-1235' }],
  ['we were in 2024 at 1234 places', undefined],
  ['ABC-1234 and AB-12345678 are others', undefined],
  ['we are 5 people', { seats: 5 }],
  ['5 people, sorry, 6 people', { seats: 6 }],
  ['it costs 5 euros', undefined],
  ['five', undefined],
  ['2.5', { seats: 2.5 }, 'How many people?'],
  ['7', { seats: 7 }, 'Thanks! How many people will come?'],
  ['7', undefined, 'Which colour?'],
  ['yes please', { newsletter: true }, 'Would you like our newsletter?'],
  ['No, thanks.', { newsletter: false }, 'Would you like our newsletter?'],
  ['yes, sorry, no', { newsletter: false }, 'Would you like our newsletter?'],
  ['no problem', undefined, 'Would you like our newsletter?'],
  ['yes', undefined, 'Would you like an invoice?'],
  ['yes', undefined, 'Our newsletter is free.'],
  ['yes', undefined],
  ['maybe', undefined, 'Would you like our newsletter?'],
  ['AB-1234, we are 3 people, ada@example.com', { order: 'AB-1234', seats: 3, email: 'ada@example.com' }],
  ['P-1', undefined],
  ['I live in Berlin', undefined],
  ['where is order 1234?', { order: 'AB-1234' }],
  ['my order number is 51234.', { order: 'AB-51234' }],
  ['1234', { order: 'AB-1234' }, 'What is the number of your order?'],
  ['order no. 1234 has not come', { order: 'AB-1234' }],
  ['I want to order 1234 lamps', undefined],
  ['we ordered in 2024', undefined],
  ['an order of 1234 euros', undefined],
  ['1234', undefined],
])('“%s” gives %j', (query, values, answerBefore) => {
  expect(collect([AGENT], query, answerBefore)).toEqual(values);
});

describe('a yes and a no', () => {
  test.each([
    ['de', 'Ja, gerne', 'Nein danke'],
    ['es', 'Sí, claro', 'No, gracias'],
    ['fr', 'Oui !', 'Non merci'],
    ['it', 'Sì', 'No'],
    ['pt', 'sim', 'Não'],
    ['nl', 'Ja graag', 'nee'],
    ['sv', 'ja tack', 'nej tack'],
    ['da', 'ja', 'nej'],
    ['nb', 'ja', 'nei'],
    ['fi', 'kyllä', 'ei kiitos'],
    ['pl', 'Tak', 'Nie'],
    ['cs', 'ano', 'ne'],
    ['hu', 'igen', 'nem'],
    ['ro', 'da', 'nu'],
    ['tr', 'evet', 'hayır'],
    ['ru', 'Да', 'Нет'],
    ['uk', 'так', 'ні'],
    ['bg', 'да', 'не'],
    ['el', 'ναι', 'όχι'],
    ['ar', 'نعم', 'لا'],
    ['he', 'כן', 'לא'],
    ['hi', 'हाँ', 'नहीं'],
    ['ja', 'はい、お願いします', 'いいえ、結構です'],
    ['ko', '네', '아니요'],
    ['th', 'ใช่ครับ', 'ไม่ใช่'],
    ['vi', 'có', 'không'],
    ['zh', '是的', '不是'],
  ])('are told apart in %s', (_language, yes, no) => {
    const said = (reply: string) => collect([AGENT], reply, 'Newsletter?')?.['newsletter'];
    expect([said(yes), said(no)]).toEqual([true, false]);
  });
});

it('gives a value to the variable that the message or the question speaks of, and to none in doubt', () => {
  const agent = anAgent('a'.repeat(32), {
    variables: [variable('invoiceNumber', { example: '123456' }), variable('customer number', { example: '123456' })],
  });
  expect(collect([agent], 'my invoice is 456789')).toEqual({ invoiceNumber: '456789' });
  expect(collect([agent], '456789', 'What is the number of your invoice?')).toEqual({ invoiceNumber: '456789' });
  expect(collect([agent], '456789')).toBeUndefined();
});

describe.each(['string', 'number'])('a reference of digits alone, of type %s', (type) => {
  const agent = anAgent('a'.repeat(32), {
    variables: [
      variable('customer', { type, description: 'Customer number from the bill.', example: '712345678' }),
      variable('phone', { description: 'Where to call' }),
      variable('order', { example: 'AB-123456' }),
    ],
  });
  const customer = (digits: string) => ({ customer: type === 'number' ? Number(digits) : digits });

  test.each<[string, object | undefined, string?]>([
    ['My customer number is 712345678.', customer('712345678')],
    ['Customer number: 799 123 456', customer('799123456')],
    ['customer no. 799123456, phone 030 1234567', { ...customer('799123456'), phone: '030 1234567' }],
    ['phone 030 1234567, customer number 799123456', { ...customer('799123456'), phone: '030 1234567' }],
    ['712345678', customer('712345678'), 'What is your customer number?'],
    ['799 123 456', customer('799123456'), 'What is your customer number?'],
    ['My phone is 799 123 456', { phone: '799 123 456' }, 'What is your customer number?'],
    ['799 123 456', { phone: '799 123 456' }, 'Where can we call you?'],
    ['My order is 799 123 456', undefined],
    ['712345678', undefined],
    ['I have 2 bins', undefined],
    ['2', undefined, 'What is your customer number?'],
    ['I am a customer and have 2 bins', undefined],
    ['As a customer I paid 1234567 in all', undefined],
    ['Your customer service charged 712345678', undefined],
  ])('is collected from “%s” as %j', (query, values, answerBefore) => {
    expect(collect([agent], query, answerBefore)).toEqual(values);
  });
});

it('finds a reference without an example where its words are there', () => {
  const agent = anAgent('a'.repeat(32), { variables: [variable('order_number')] });
  expect(collect([agent], 'my order is #A77-1002, it has not come')).toEqual({ order_number: 'A77-1002' });
  expect(collect([agent], 'the A77-1002 lamp')).toBeUndefined();
});

it('takes a time that grows with the message, whatever is in it', () => {
  for (const text of [
    '1 '.repeat(1000),
    '-'.repeat(2000),
    'a@'.repeat(1000),
    '+(1'.repeat(700),
    'AB-'.repeat(700),
    'a.'.repeat(1000),
  ]) {
    collect([AGENT], text.repeat(4), text);
  }
});

describe('an example of many parts', () => {
  const collecting = (example: string) => {
    const agent = anAgent('a'.repeat(32), { variables: [variable('reference', { example })] });
    return (query: string) => collect([agent], query);
  };

  it.each([
    ['digits', '12:'.repeat(13), `${'1'.repeat(60)}x`],
    ['letters', 'A1'.repeat(20), `${'B2'.repeat(19)}B2x`],
    ['letters apart', 'A-'.repeat(20), `${'B'.repeat(20)}1`],
  ])('takes a time that grows with the message, whatever its %s', (_of, example, text) => {
    expect(collecting(example)(`${text} `.repeat(30))).toBeUndefined();
  });

  it('has the form that its values are found by', () => {
    const ask = collecting('DE89 3704 0044 0532 0130 00');
    expect(ask('to DE02 1203 0000 0000 2020 51 please')).toEqual({ reference: 'DE02 1203 0000 0000 2020 51' });
    expect(ask('to de02120300000000202051 please')).toEqual({ reference: 'DE02 1203 0000 0000 2020 51' });
    expect(ask('to DE02 1203 0000 0000 2020 512 please')).toBeUndefined();
  });
});
