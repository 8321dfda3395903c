import { may } from '../../account/membership.ts';
import { Filters, type useFilters } from '../../parts/Filters.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { Agent } from '../../agent-records.ts';
import { get } from '../../wire.ts';

/** What narrows the list, by its name in the address and in the API. */
export const NAMES = ['search', 'has', 'state', 'agent', 'label', 'page', 'from', 'to'];

const MARKS = {
  '': 'All',
  unknown: 'Not known',
  unsure: 'Not sure',
  rated_down: 'Voted down',
  rated_up: 'Voted up',
};

const STATES = { '': 'Any state', requested: 'A person was asked for' };

interface NarrowProps extends Pick<ReturnType<typeof useFilters>, 'values' | 'narrow'> {
  chatbot: string;
}

/** The fields that narrow the list. */
export function Narrow({ chatbot, ...narrowed }: NarrowProps) {
  const mayList = may(chatbot, 'edit');
  // Without them the field has the one that is chosen.
  const { data: agents } = useLoad(chatbot, async (signal) =>
    mayList ? get<Agent[]>(`/api/v1/chatbot/${chatbot}/agents`, signal).catch(() => []) : [],
  );
  const names = Object.fromEntries((agents.value ?? []).map(({ uuid, name }) => [uuid, name]));
  const chosen = narrowed.values['agent'];
  return (
    <Filters
      {...narrowed}
      fields={{
        search: { label: 'Search questions and answers', type: 'search' },
        has: { label: 'Show', choices: MARKS },
      }}
      further={{
        state: { label: 'State', choices: STATES },
        ...((chosen || mayList) && {
          agent: { label: 'Agent', choices: { '': 'Any agent', ...(chosen && { [chosen]: 'This agent' }), ...names } },
        }),
        label: { label: 'Label' },
        page: { label: 'Page', placeholder: 'Such as /cart' },
        from: { label: 'First day (UTC)', type: 'date' },
        to: { label: 'Last day (UTC)', type: 'date' },
      }}
    />
  );
}
