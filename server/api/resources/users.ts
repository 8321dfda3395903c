import * as Type from 'typebox';
import { invalid } from '../../schema/errors.ts';
import { timestamp } from '../../schema/ids.ts';
import { USAGE_GROUPS, UsageQuery, UsageReport, type UsageRow } from '../../schema/usage.ts';
import type { Usage } from '../../store/store.ts';
import { operation, type Operation, type ApiDeps } from '../requests/operation.ts';
import { readDays } from '../requests/time-range.ts';

const KeyOwner = Type.Object(
  { data: Type.Object({ email: Type.String() }, { additionalProperties: false }) },
  { additionalProperties: false },
);

export const users = ({ store, clock }: ApiDeps): Operation[] => [
  operation({
    id: 'getUser',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/user',
    summary: 'Fetch the user of the key',
    reply: KeyOwner,
    handle: async ({ user }) => ({ data: { email: user.email } }),
  }),
  operation({
    id: 'getUsage',
    right: 'signed in',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/usage',
    summary: 'Fetch what the answers of the user’s chatbots have cost',
    description:
      'Deleting a message, a session or a chatbot takes nothing away. A message counts on the day of its question, once its answer has ended.',
    query: UsageQuery,
    reply: UsageReport,
    async handle({ user, ctx }) {
      const today = timestamp(clock).slice(0, 10);
      const { from, to } = readDays(ctx.query, today, (last) => `${last.slice(0, 7)}-01`);
      const rows = sumBy(readGroups(ctx.query['by']), await store.usage(user.uuid, from, to));
      return { from, to, ...total(rows), usage: rows };
    },
  }),
];

type Group = (typeof USAGE_GROUPS)[number];
type Written = string | string[] | undefined;

function readGroups(written: Written): readonly Group[] {
  if (written === undefined) return USAGE_GROUPS;
  const names = typeof written === 'string' ? written.split(',') : [];
  const groups = USAGE_GROUPS.filter((group) => names.includes(group));
  if (names.length === 0 || groups.length !== names.length)
    throw invalid('by', 'by must be one or more of chatbot, day and model, separated by commas');
  return groups;
}

function sumBy(groups: readonly Group[], usage: Usage[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const one of usage) {
    const key = groups.map((group) => one[group]).join(' ');
    const named = Object.fromEntries(groups.map((group) => [group, one[group]]));
    const row = rows.get(key) ?? { ...named, ...NO_USAGE };
    rows.set(key, add(row, one));
  }
  return [...rows.values()];
}

const NO_USAGE = { messages: 0, credits: 0, tokens: 0 };

const add = <T extends typeof NO_USAGE>(sum: T, { messages, credits, tokens }: typeof NO_USAGE): T => ({
  ...sum,
  messages: sum.messages + messages,
  credits: sum.credits + credits,
  tokens: sum.tokens + tokens,
});

const total = (rows: UsageRow[]): typeof NO_USAGE => rows.reduce<typeof NO_USAGE>(add, NO_USAGE);
