import type { RoutingRecord } from '../agents/routing/choose.ts';
import { faultOfCall, type Difference } from './compare.ts';
import type { HeldTurn } from './hold.ts';
import type { Judged, JudgedTurn } from './run.ts';

/** What did not hold, as lines for a person. */

const [WIDTH, MAX_LINES, MAX_CANDIDATES, MAX_FUNCTIONS] = [200, 4, 5, 5];

/** Of a conversation with at least one turn that failed; each line ended. */
export function describeFailure({ file, conversation, turns }: Judged): string {
  const failed = turns.filter(({ differences }) => differences.length > 0);
  const head = `✗ ${conversation.name} (${file}:${conversation.line})\n`;
  return head + failed.map((turn) => describeTurn(turn, turns.indexOf(turn) + 1)).join('');
}

function describeTurn({ held, differences, hints = [] }: JudgedTurn, number: number): string {
  const { turn, reply } = held;
  const record = reply?.meta.routing;
  return [
    `  turn ${number} (line ${turn.line}): ${oneLine(turn.ask)}`,
    ...grouped(differences).flatMap(describeDifferences),
    ...describeFaults(held, differences),
    ...hints.map((hint) => `    ${oneLine(hint)}`),
    ...(record ? describeRouting(record, reply.meta.active_agent?.name ?? '') : []),
    '',
  ].join('\n');
}

/** Those of a key with the same outcome, one after another: an answer stands once, below all that it should be. */
function grouped(differences: readonly Difference[]): Difference[][] {
  const groups: Difference[][] = [];
  for (const one of differences) {
    const last = groups.at(-1);
    if (last?.[0]!.what === one.what && last[0].got === one.got) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** The functions whose calls failed, which may be why the answer is another; `tools` shows them itself. */
function describeFaults({ reply }: HeldTurn, differences: readonly Difference[]): string[] {
  if (differences.some(({ what }) => what === 'tools')) return [];
  return (reply?.meta.functions_called ?? []).slice(0, MAX_FUNCTIONS).flatMap((call) => {
    const fault = faultOfCall(call);
    return fault === undefined ? [] : [`    ${oneLine(`the call of ${call.name} failed: ${fault}`)}`];
  });
}

const describeDifferences = (group: Difference[]): string[] => [
  `    ${group[0]!.what}`,
  ...group.map(({ expected }) => `      - ${oneLine(expected)}`),
  ...lines(group[0]!.got).map((line) => `      + ${line}`),
];

const DETECTED = { person: 'clearly a wish for a person', spam: 'clearly spam', small_talk: 'nothing but small talk' };

/** Why that agent answered: how it was chosen, and the scores. */
export function describeRouting(record: RoutingRecord, agent: string): string[] {
  const { by, rule, detected, margin, candidates = [] } = record;
  const why = {
    only: `no other agent can answer${detected ? `, and it is ${DETECTED[detected]}` : ''}`,
    rule: `rule ${rule?.index ?? ''} of the agent`,
    classifier: detected ? DETECTED[detected] : 'the highest score',
    model: 'the model chose, for the scores are close',
  }[by];
  const scores = candidates.slice(0, MAX_CANDIDATES).map(({ name, score, classifier, bias, stickness }) => {
    const parts = [`classifier ${classifier}`, bias && `bias ${bias}`, stickness && `stickness ${stickness}`];
    return `      ${score.toFixed(3).padStart(7)}  ${name} (${parts.filter(Boolean).join(', ')})`;
  });
  return [`    ${agent} answered: ${why}${margin === undefined ? '' : `, margin ${margin}`}`, ...scores];
}

function lines(text: string): string[] {
  const all = text.split('\n').filter((line) => line.trim() !== '');
  const shown = all.slice(0, MAX_LINES).map(oneLine);
  return all.length > MAX_LINES ? [...shown, '…'] : shown.length > 0 ? shown : ['(nothing)'];
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > WIDTH ? `${line.slice(0, WIDTH).toWellFormed()}…` : line;
}
