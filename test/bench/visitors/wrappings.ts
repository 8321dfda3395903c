/** What visitors write around a question: `{q}` stands for it. Written without reading the program. */
export interface Wrapping {
  id: string;
  text: string;
  /** All of it in lower case. */
  lower?: true;
  /** The question without its question mark. */
  noMark?: true;
}

export const WRAPPINGS: readonly Wrapping[] = [
  { id: 'polite', text: 'Good morning, would you be so kind as to tell me the following, please: {q}' },
  {
    id: 'story-before',
    text: "Hi there, my sister-in-law sent me your page last night. We have been going back and forth about it the whole weekend, the kids were screaming in the background, and in the end I said I'd simply ask. So: {q}",
  },
  {
    id: 'story-behind',
    text: '{q} I am asking because my husband says one thing and the neighbour says another, and last year we were told something different again by a friend, so now I would like to know it properly before we do anything.',
  },
  {
    id: 'mail',
    text: 'Dear Sir or Madam,\n\nI looked around on your website but did not find it.\n\n{q}\n\nI look forward to your answer.\n\nKind regards,\nHelen Marchetti\n12 Orchard Close\nTel. 0170 555 0199',
  },
  { id: 'lower', text: '{q}', lower: true },
  { id: 'no-mark', text: '{q}', noMark: true },
  { id: 'hedge', text: "Sorry, just a quick question, I was wondering, it's probably a silly one: {q}" },
  { id: 'thanks-twice', text: 'Thanks for taking the time! {q} Thank you so much, have a lovely day!' },
  {
    id: 'german',
    text: 'Guten Tag, ich hätte da mal eine Frage, ich hoffe, ich bin hier richtig: {q} Vielen Dank im Voraus und schöne Grüße!',
  },
  {
    id: 'french',
    text: "Bonjour, excusez-moi de vous déranger, pourriez-vous me renseigner : {q} Merci d'avance et bonne journée !",
  },
  { id: 'spanish', text: 'Hola, buenas tardes, quería hacerles una consulta: {q} Muchas gracias y un saludo.' },
  {
    id: 'italian',
    text: 'Buongiorno, scusate il disturbo, vorrei chiedervi una cosa: {q} Grazie mille e buona giornata!',
  },
  {
    id: 'dutch',
    text: 'Goedemiddag, ik heb even een vraagje waar ik niet uitkom: {q} Alvast bedankt en met vriendelijke groet!',
  },
  { id: 'portuguese', text: 'Olá, bom dia, gostaria de tirar uma dúvida, por favor: {q} Muito obrigada e um abraço!' },
];

export function wrap(question: string, { text, lower, noMark }: Wrapping): string {
  const asked = noMark ? question.replace(/\s*\?+\s*$/, '') : question;
  const wrapped = text.replace('{q}', () => asked);
  return lower ? wrapped.toLowerCase() : wrapped;
}
