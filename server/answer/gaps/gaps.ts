import { forEachSliced, TimeSlice, yieldTurn } from '../../async/time-slice.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { FoundMessage, MessageFilter } from '../../store/shared/message-search.ts';
import type { TextChange } from '../../schema/sources/source-text.ts';
import type { Store, StoredSource } from '../../store/store.ts';
import type { SearchQuestion } from '../extract/several.ts';
import { quotedOutcome } from '../extract/write.ts';
import { areAlike, disguised, termsOf } from './likeness.ts';

/** What visitors asked in vain: questions for the same thing in one group, out of the newest messages. Nothing of it is stored. */

/** Messages of each kind that are read, newest first, and at a time. */
const [MAX_READ, PAGE] = [600, 100];
/** Groups of a list, and those that are looked at for it. */
const [MAX_GAPS, MAX_CHECKED] = [50, 100];
const [MAX_WORDINGS, MAX_PASSAGES, MAX_TEXT] = [5, 3, 300];
/** Groups that an owner has put away. */
export const MAX_HIDDEN = 200;

export type GapReason = 'unknown' | 'unsure' | 'rated_down' | 'asked_again';

export interface Gap {
  /** In the words that were used most. */
  question: string;
  count: number;
  last_asked: string;
  /** Messages of each kind. */
  reasons: Record<GapReason, number>;
  wordings: { query: string; session: string; asked_at: string }[];
  passages: { data_source_uuid: string; title: string; text: string }[];
}

export interface Gaps {
  /** Of all groups: those that nothing answers now. */
  count: number;
  /** There are older messages, or more groups, that were not looked at. */
  is_cut: boolean;
  gaps: Gap[];
}

interface Asked extends FoundMessage {
  reasons: Set<GapReason>;
  terms: Set<string>;
}

interface GapDeps {
  store: Store;
  knowledge: Pick<Knowledge, 'search'>;
}

const KINDS: [GapReason, MessageFilter][] = [
  ['unknown', { outcome: 'unknown' }],
  ['unsure', { outcome: 'unsure' }],
  ['rated_down', { rated: 'down' }],
];

/** Most asked first; `isHidden`: those that were put away, answered or not. */
export async function findGaps(deps: GapDeps, chatbot: string, hidden: string[][], isHidden: boolean): Promise<Gaps> {
  const { asked, isCut } = await messagesInVain(deps.store, chatbot);
  const isPutAway = await hiddenBy(deps.store, hidden);
  const groups = await group(await filterSliced(asked, ({ terms }) => isPutAway(terms) === isHidden));
  const gaps: Gap[] = [];
  let [answered, checked] = [0, 0];
  for (const all of groups) {
    if (gaps.length === MAX_GAPS || checked++ === MAX_CHECKED) break;
    await yieldTurn();
    const gap = await describe(deps, chatbot, all);
    if (isHidden || !gap.isAnswered) gaps.push(gap.gap);
    else answered++;
  }
  const isBeyond = groups.length > gaps.length + answered;
  return { count: groups.length - answered, is_cut: isCut || isBeyond, gaps };
}

/** Whether a question is alike to one of a group that was put away. */
async function hiddenBy({ owner }: Store, hidden: string[][]): Promise<(terms: Set<string>) => boolean> {
  const groups = hidden.map((terms) => new Set(terms));
  return (terms) => {
    if (groups.length === 0) return false;
    const own = disguised(terms, owner.secret);
    return groups.some((one) => areAlike(one, own));
  };
}

/** What is kept of a question whose group is hidden. */
export const hiddenTermsOf = async ({ owner }: Store, question: string): Promise<Set<string>> =>
  disguised(await termsOf(question), owner.secret);

/** The hidden groups with one more, or without those alike to it. */
export function changeHidden(hidden: string[][], own: Set<string>, isHidden: boolean): string[][] {
  const others = hidden.filter((terms) => !areAlike(new Set(terms), own));
  return isHidden ? [...others, [...own]].slice(-MAX_HIDDEN) : others;
}

async function filterSliced(asked: Asked[], is: (one: Asked) => boolean): Promise<Asked[]> {
  const some: Asked[] = [];
  await forEachSliced(asked, (one) => {
    if (is(one)) some.push(one);
  });
  return some;
}

async function messagesInVain(store: Store, chatbot: string): Promise<{ asked: Asked[]; isCut: boolean }> {
  const asked = new Map<string, Asked>();
  const slice = new TimeSlice();
  let isCut = false;
  const add = async (message: FoundMessage, reason: GapReason): Promise<void> => {
    const known = asked.get(message.uuid);
    if (known) return void known.reasons.add(reason);
    asked.set(message.uuid, { ...message, reasons: new Set([reason]), terms: await termsOf(message.query) });
    if (slice.isOver) await slice.renew();
  };
  for (const [reason, filter] of KINDS) {
    const { messages, isWhole } = await newest(store, chatbot, filter);
    isCut ||= !isWhole;
    for (const message of messages) await add(message, reason);
  }
  // Of a session the last message comes first: the next in the list is the one before it.
  const { messages } = await newest(store, chatbot, {});
  for (const [at, later] of messages.entries()) {
    const before = messages[at + 1];
    if (before?.session !== later.session || before.query.trim() === later.query.trim()) continue;
    if (areAlike(await termsOf(before.query), await termsOf(later.query))) await add(before, 'asked_again');
    if (slice.isOver) await slice.renew();
  }
  const inOrder = [...asked.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return { asked: inOrder, isCut };
}

async function newest(
  store: Store,
  chatbot: string,
  filter: MessageFilter,
): Promise<{ messages: FoundMessage[]; isWhole: boolean }> {
  const messages: FoundMessage[] = [];
  let after: string | undefined;
  while (messages.length < MAX_READ) {
    const page = await store.findMessages(chatbot, filter, { limit: PAGE, after });
    messages.push(...(page?.messages ?? []));
    if (!page || page.next === '') return { messages, isWhole: true };
    after = page.next;
  }
  return { messages: messages.slice(0, MAX_READ), isWhole: false };
}

/** Groups of questions alike to the newest of theirs; those with most questions first. */
async function group(asked: Asked[]): Promise<Asked[][]> {
  const groups: Asked[][] = [];
  /** By term: the groups whose first question has it. */
  const byTerm = new Map<string, Asked[][]>();
  await forEachSliced(asked, (one) => {
    const near = new Set([...one.terms].flatMap((term) => byTerm.get(term) ?? []));
    const own = [...near].find(([first]) => areAlike(first!.terms, one.terms));
    if (own) {
      own.push(one);
      return;
    }
    const made = [one];
    groups.push(made);
    for (const term of one.terms) {
      const known = byTerm.get(term);
      if (known) known.push(made);
      else byTerm.set(term, [made]);
    }
  });
  return groups.sort((a, b) => b.length - a.length);
}

/** When what the source says came to be: a page that is fetched again may say what it said. '' where it is gone. */
function changedAt(source: StoredSource | undefined): string {
  if (!source) return '';
  const { created_at, first_text_at = '', change_json } = source;
  const { at = '' } = JSON.parse(change_json || '{}') as Partial<TextChange>;
  return [created_at, first_text_at, at].sort().at(-1)!;
}

async function describe(
  { store, knowledge }: GapDeps,
  chatbot: string,
  asked: Asked[],
): Promise<{ gap: Gap; isAnswered: boolean }> {
  const wordings = new Map<string, { count: number; newest: Asked }>();
  for (const one of asked) {
    const known = wordings.get(one.query.trim());
    wordings.set(one.query.trim(), { count: (known?.count ?? 0) + 1, newest: known?.newest ?? one });
  }
  const ordered = [...wordings.values()].sort((a, b) => b.count - a.count);
  const question = ordered[0]!.newest.query.trim();
  const last_asked = asked[0]!.created_at;
  const count = (reason: GapReason): number => asked.filter(({ reasons }) => reasons.has(reason)).length;
  const reasons = {
    unknown: count('unknown'),
    unsure: count('unsure'),
    rated_down: count('rated_down'),
    asked_again: count('asked_again'),
  };
  const { query, found } = await knowledge.search(chatbot, question, { forQuotes: true, wordsAlone: true });
  const best = found[0];
  const changed = best ? changedAt(await store.source(best.source.uuid)) : '';
  // Quotes were told and did not help: what would be told again does not count as an answer.
  const hadAnswer = reasons.rated_down + reasons.asked_again > 0;
  const isExact = best?.match.exact === true && (changed > last_asked || !hadAnswer);
  const search: SearchQuestion = (text, before) =>
    knowledge.search(chatbot, text, { forQuotes: true, wordsAlone: true, earlier: before });
  const isAnswered =
    isExact || (changed > last_asked && !hadAnswer && (await quotedOutcome(query, found, search)) === 'answered');
  const gap = {
    question,
    count: asked.length,
    last_asked,
    reasons,
    wordings: ordered.slice(0, MAX_WORDINGS).map(({ newest: one }) => ({
      query: one.query.slice(0, MAX_TEXT),
      session: one.session,
      asked_at: one.created_at,
    })),
    passages: found.slice(0, MAX_PASSAGES).map(({ source, text }) => ({
      data_source_uuid: source.uuid,
      title: source.title || source.file_name,
      text: text.slice(0, MAX_TEXT),
    })),
  };
  return { gap, isAnswered };
}
