import { expect, it } from 'vitest';
import type { RoutingRecord } from '../../server/agents/routing/choose.ts';
import { describeRouting } from '../../server/conversations/report.ts';

it.each<[Omit<RoutingRecord, 'agent'>, string]>([
  [{ by: 'only' }, 'no other agent can answer'],
  [{ by: 'only', detected: 'small_talk' }, 'no other agent can answer, and it is nothing but small talk'],
  [{ by: 'rule', rule: { agent: 'a', index: 0 } }, 'rule 0 of the agent'],
  [{ by: 'classifier', detected: 'person' }, 'clearly a wish for a person'],
  [{ by: 'classifier', detected: 'spam' }, 'clearly spam'],
  [{ by: 'classifier', detected: 'small_talk' }, 'nothing but small talk'],
  [{ by: 'classifier', margin: 0.4 }, 'the highest score, margin 0.4'],
  [{ by: 'model', margin: 0.04 }, 'the model chose, for the scores are close, margin 0.04'],
])('says in words why the agent answered: %j', (record, words) => {
  expect(describeRouting({ agent: 'a', ...record }, 'Lamps')).toEqual([`    Lamps answered: ${words}`]);
});
