import type { Found } from '../../../knowledge/search/found.ts';
import type { Query } from '../../../knowledge/search/query.ts';
import type { Layout } from '../layout.ts';
import { labelIsIn } from './named-row.ts';

/** Bounds (UTF-16 units, items) up to which a list or table is quoted whole where the question names none of its items. */
const MAX_LIST_LENGTH = 600;
const MAX_LIST_ITEMS = 8;
/** The share of the question's weight in heading and lead-in from which on the whole list counts as the answer. */
const LEAD_IN_SHARE = 0.85;

/** A list or table of a passage, and the sentences of it that were selected. */
interface List {
  found: Found;
  layout: Layout;
  query: Query;
  /** The first sentence of each item, and the sentence that leads to them; -1 for none. */
  items: number[];
  lead: number;
  selected: number[];
  /** The best sentence of the passage; -1 where it is in another. */
  best: number;
}

/** The items that match the question best. Where none matches, the whole list if it is short, else the selected items. */
export function itemsToQuote(list: List): number[] {
  const { layout, query, items, lead, selected, best } = list;
  const chosen = items.filter((item) => selected.some((at) => layout.items[at] === item));
  const weights = itemWeights(list);
  const highest = Math.max(0, ...chosen.map((item) => weights.get(item)!));
  if (highest > 0) return chosen.filter((item) => weights.get(item) === highest);
  const length = layout.itemEnd(items.at(-1)!) - layout.sentences[items[0]!]!.start;
  const isBest = best === lead || items.includes(layout.items[best] ?? -1);
  const labelled = items.filter((item) => labelIsIn(layout.itemText(item), query.question));
  if (labelled.length === 1) return labelled;
  const quotesAll = (isBest || isAskedFor(list)) && items.length <= MAX_LIST_ITEMS && length <= MAX_LIST_LENGTH;
  return quotesAll || chosen.length === 0 ? items.slice(0, MAX_LIST_ITEMS) : chosen;
}

/**
 * The question weight of each item, without terms that all items, the heading or the lead-in contain: only the others
 * distinguish items.
 */
function itemWeights(list: List): Map<number, number> {
  const { layout, query, items } = list;
  const termsByItem = items.map((item) => {
    const itemTerms = new Set<number>();
    for (let at = item; layout.items[at] === item; at++) addTerms(query, itemTerms, layout.sentences[at]!.roots);
    return itemTerms;
  });
  const above = termsAbove(list);
  const isCommon = (term: number): boolean => above.has(term) || termsByItem.every((itemTerms) => itemTerms.has(term));
  const weightOf = (term: number): number => (isCommon(term) && items.length > 1 ? 0 : query.terms[term]!.weight);
  return new Map(items.map((item, at) => [item, [...termsByItem[at]!].reduce((sum, term) => sum + weightOf(term), 0)]));
}

/** Whether heading and lead-in cover nearly the whole question, so that the whole list is the answer. */
function isAskedFor(list: List): boolean {
  const { terms, totalWeight } = list.query;
  return [...termsAbove(list)].reduce((sum, term) => sum + terms[term]!.weight, 0) >= LEAD_IN_SHARE * totalWeight;
}

function termsAbove({ found, layout, query, lead }: List): Set<number> {
  const terms = new Set<number>();
  addTerms(query, terms, found.match.head);
  if (lead >= 0) addTerms(query, terms, layout.sentences[lead]!.roots);
  return terms;
}

function addTerms({ termByRoot }: Query, terms: Set<number>, roots: Iterable<number>): void {
  for (const root of roots) {
    const found = termByRoot.get(root);
    if (found && found.share >= 0.5) terms.add(found.term);
  }
}
