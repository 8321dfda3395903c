import { isDone } from '../answer/runs.ts';
import { jsonIn, objectIn } from '../schema/json.ts';
import type { HeldTurn, Reply } from './hold.ts';
import type { ExpectedAnswer, ExpectedCall, Turn, Value } from './format.ts';

/** What of an answer is not as it should be. */
export interface Difference {
  /** The key of the turn. */
  what: string;
  expected: string;
  got: string;
}

/** None where all that the turn expects holds. `isCiting`: the chatbot's `show_citations`. */
export function differencesOf({ turn, reply, fault }: HeldTurn, isCiting: boolean): Difference[] {
  if (fault !== undefined) return [{ what: 'answer', expected: 'an answer', got: `none: ${fault}` }];
  return [
    ...agentDifferences(turn, reply),
    ...citationDifferences(turn, reply, isCiting),
    ...answerDifferences(turn.answer ?? {}, reply),
    ...sessionDifferences(turn, reply),
    ...listDifferences('labels', turn.labels?.toSorted(), reply.labels.toSorted()),
    ...toolDifferences(turn, reply),
  ];
}

function agentDifferences({ agent }: Turn, { meta }: Reply): Difference[] {
  const { uuid = '', name = '' } = meta.active_agent ?? {};
  const wanted = agent === undefined ? undefined : [folded(agent), agent.replaceAll('-', '').toLowerCase()];
  if (wanted === undefined || wanted[0] === folded(name) || wanted[1] === uuid) return [];
  return [{ what: 'agent', expected: agent!, got: name || 'no agent' }];
}

function citationDifferences({ cites = [] }: Turn, { citations }: Reply, isCiting: boolean): Difference[] {
  const cited = Object.values(citations).map(({ title, file_name }) => [title, file_name].filter(Boolean));
  const isCited = (wanted: string): boolean =>
    cited.some((source) => source.some((one) => folded(one).includes(folded(wanted))));
  const none = isCiting ? 'nothing is cited' : 'nothing is cited: show_citations of the chatbot is off';
  const got = cited.length === 0 ? none : cited.map((source) => source.join(': ')).join('\n');
  return cites.filter((wanted) => !isCited(wanted)).map((expected) => ({ what: 'cites', expected, got }));
}

function answerDifferences(expected: ExpectedAnswer, { answer, citations, meta }: Reply): Difference[] {
  const { contains = [], excludes = [], quotes, unknown } = expected;
  const text = folded(answer);
  const differences = [
    ...contains.filter((part) => !text.includes(folded(part))).map((part) => `“${part}” in it`),
    ...excludes.filter((part) => text.includes(folded(part))).map((part) => `no “${part}” in it`),
  ].map((wanted) => ({ what: 'answer', expected: wanted, got: answer }));
  const hasSources = Object.keys(citations).length > 0;
  const isUnknown = meta.outcome === 'unknown';
  if (quotes !== undefined && quotes !== hasSources)
    differences.push({ what: 'answer', expected: quotes ? 'sources' : 'no sources', got: answer });
  if (unknown !== undefined && unknown !== isUnknown)
    differences.push({ what: 'answer', expected: unknown ? '“I don’t know”' : 'an answer', got: answer });
  return differences;
}

function sessionDifferences({ state, variables = {} }: Turn, reply: Reply): Difference[] {
  const differences: Difference[] = [];
  if (state !== undefined && state !== reply.state) {
    differences.push({ what: 'state', expected: state, got: reply.state });
  }
  for (const [name, expected] of Object.entries(variables)) {
    const got = Object.hasOwn(reply.variables, name) ? reply.variables[name]! : null;
    // A name of nobody's is set in no session: with a slip of the pen this would hold for ever.
    if (expected === null && got === null && !reply.names.has(name))
      differences.push({
        what: `variables.${name}`,
        expected: 'not set',
        got: 'unknown: no enabled agent declares it',
      });
    if (expected !== got)
      differences.push({ what: `variables.${name}`, expected: shown(expected), got: shown(got, expected) });
  }
  return differences;
}

/** Of the record of a call, why it failed; undefined where it succeeded. */
export function faultOfCall(call: { content: string }): string | undefined {
  if (isDone(call)) return undefined;
  // The record of a long reply is cut, and no JSON.
  const [, error = ''] = /^\{"error":("(?:[^"\\]|\\.)*")/.exec(call.content) ?? [];
  return String(jsonIn(error) ?? 'the call failed');
}

/** Of the record of a call that a dry run left out, what would have been sent; undefined of any other. */
export function unsentIn(content: string): string | undefined {
  if (!content.startsWith('{"dry_run":true')) return undefined;
  // The record of a long one is cut, and no JSON.
  const { method, url, body } = objectIn(content);
  return method === undefined ? content : [method, url, body].filter((one) => one !== undefined).join(' ');
}

function toolDifferences({ tools }: Turn, { meta }: Reply): Difference[] {
  const called = meta.functions_called ?? [];
  const failing = new Set(tools?.filter(({ fails }) => fails).map(({ name }) => name));
  // A model may call again what failed: a failure counts where one is expected.
  const counted = called.filter((call) => isDone(call) || failing.has(call.name));
  const got = counted.map((call) => asExpected({ name: call.name, fails: !isDone(call) }));
  const shownCalls = called.map((call) => {
    const [fault, sent] = [faultOfCall(call), unsentIn(call.content)];
    return fault !== undefined
      ? `${call.name} (failed: ${fault})`
      : sent
        ? `${call.name} (not sent: ${sent})`
        : call.name;
  });
  const expected = tools?.map(asExpected);
  return listDifferences('tools', expected, got).map((one) => ({ ...one, got: shownCalls.join('\n') || 'none' }));
}

const asExpected = ({ name, fails }: ExpectedCall): string => (fails ? `${name} (failed)` : name);

function listDifferences(what: string, expected: string[] | undefined, got: string[]): Difference[] {
  if (expected === undefined || JSON.stringify(expected) === JSON.stringify(got)) return [];
  const named = (list: string[]): string => list.join(', ') || 'none';
  return [{ what, expected: named(expected), got: named(got) }];
}

/** `5` and `"5"` are told apart where they stand side by side. */
const shown = (value: Value | null, beside: Value | null = null): string =>
  value === null
    ? 'not set'
    : beside !== null && String(beside) === String(value)
      ? JSON.stringify(value)
      : String(value);

/** Case, the kind of apostrophe, and how white space is written do not count. */
const folded = (text: string): string =>
  text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
