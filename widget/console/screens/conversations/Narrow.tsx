import type { ComponentChildren } from 'preact';
import { useLoad } from '../../parts/use-load.ts';
import type { Agent } from '../../agent-records.ts';
import { get } from '../../wire.ts';

/** What narrows the list, by its name in the address and in the API. */
export const NAMES = ['search', 'has', 'state', 'agent', 'label', 'page', 'from', 'to'] as const;
export type Narrowed = Partial<Record<(typeof NAMES)[number], string>>;

const MARKS = {
  '': 'All',
  unknown: 'Not known',
  unsure: 'Not sure',
  rated_down: 'Voted down',
  rated_up: 'Voted up',
};

const STATES = { '': 'Any state', requested: 'A person was asked for' };

interface NarrowProps {
  chatbot: string;
  narrowed: Narrowed;
  onChange: (name: keyof Narrowed, value: string) => void;
}

/** The fields that narrow the list. Their values stand in the address. */
export function Narrow({ chatbot, narrowed, onChange }: NarrowProps) {
  // Without them the field has the one that is chosen.
  const { data: agents } = useLoad(chatbot, (signal) =>
    get<Agent[]>(`/api/v1/chatbot/${chatbot}/agents`, signal).catch(() => []),
  );
  const field = (name: keyof Narrowed) => ({
    name,
    value: narrowed[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => onChange(name, event.currentTarget.value.trim()),
  });
  const names = Object.fromEntries((agents.value ?? []).map(({ uuid, name }) => [uuid, name]));
  const chosen = narrowed.agent ?? '';
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Label words="Search questions and answers">
        <input type="search" placeholder="Search questions and answers" maxLength={200} {...field('search')} />
      </Label>
      <Choice label="Show" choices={MARKS} {...field('has')} />
      <Choice label="State" choices={STATES} {...field('state')} />
      <Choice
        label="Agent"
        choices={{ '': 'Any agent', ...(chosen && { [chosen]: 'This agent' }), ...names }}
        {...field('agent')}
      />
      <Label words="Label">
        <input type="text" placeholder="Label" maxLength={200} {...field('label')} />
      </Label>
      <Label words="Page">
        <input type="text" placeholder="Page, such as /cart" maxLength={200} {...field('page')} />
      </Label>
      <Label words="First day">
        <input type="date" {...field('from')} />
      </Label>
      <Label words="Last day">
        <input type="date" {...field('to')} />
      </Label>
    </form>
  );
}

const Label = ({ words, children }: { words: string; children: ComponentChildren }) => (
  <label>
    <span class="hidden">{words}</span>
    {children}
  </label>
);

interface ChoiceProps {
  label: string;
  choices: Record<string, string>;
  name: string;
  value: string;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

const Choice = ({ label, choices, ...select }: ChoiceProps) => (
  <Label words={label}>
    <select {...select}>
      {Object.entries(choices).map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  </Label>
);
