import type { RoutableAgent } from '../../server/agents/routing/choose.ts';
import type { AgentTexts } from '../../server/agents/routing/classifier.ts';
import type { SessionFacts } from '../../server/agents/routing/rules.ts';

export type TestAgent = RoutableAgent & AgentTexts;

export const agentOf = (uuid: string, more: Partial<TestAgent> = {}): TestAgent => ({
  uuid,
  name: uuid,
  type: 'user-facing',
  description: '',
  prompt: '',
  meta: {},
  ...more,
});

export const FIRST_QUERY: SessionFacts = { queries: 1, consecutive: 0, variables: {} };

/** A shop's team: two agents that answer, one fixed text, and the agents that detectors call. */
export const TEAM: TestAgent[] = [
  agentOf('general', {
    name: 'General Q&A',
    description: 'Answers the questions of visitors from the sources.',
  }),
  agentOf('billing', {
    name: 'Billing',
    description: 'Invoices, payments, refunds and prices.',
    prompt: 'You are a friendly assistant. Explain what stands on an invoice.',
    examples: ['Why was I charged twice?', 'I need a copy of my invoice', 'When do I get my money back?'],
  }),
  agentOf('hours', {
    name: 'Opening hours',
    type: 'pre-canned',
    description: 'Tells when the shop is open.',
    examples: ['When are you open?', 'Are you open on Sundays?', 'What time do you close?'],
  }),
  agentOf('person', { name: 'Hand over', type: 'human-escalation', meta: { bias: -10 } }),
  agentOf('spam', { name: 'Spam', type: 'spam-defense' }),
  agentOf('labels', { name: 'Labels', type: 'background' }),
];
