import { useRef } from 'preact/hooks';
import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Check, Failed, Field } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useChanges } from '../../parts/use-changes.ts';
import { useWrong } from '../../parts/use-wrong.ts';
import { useSignal } from '../../signals.ts';
import { linesOf } from '../../words.ts';
import { get, refuseLost, remove, update } from '../../wire.ts';
import { AgentSources } from './AgentSources.tsx';
import type { Agent } from '../../agent-records.ts';
import type { Member } from './member.ts';
import { NEW_RULE, RULE_COLUMNS, ruleRows, rulesIn } from './rules.ts';
import { Rows } from './Rows.tsx';
import { NEW_VARIABLE, variableColumns, variableRows, variablesIn } from './variables.ts';

interface AgentFormProps {
  chatbot: string;
  member: Member;
  /** Called once the agent is saved or deleted. */
  onChanged: () => void;
}

const listsIn = ({ agent: { variables, data_source_uuids }, routing }: Member) => ({
  variables,
  data_source_uuids,
  ...routing,
});

/** Everything of one agent but what the dials have. What is wrong is said at its field. */
export function AgentForm({ chatbot, member, onChanged }: AgentFormProps) {
  const { agent, routing } = member;
  const { uuid, name, type, enabled, description, prompt, meta, variables, human_escalation_settings } = agent;
  const path = `/api/v1/agent/${uuid}`;
  const rules = useSignal(ruleRows(routing.rules));
  const variableList = useSignal(variableRows(variables));
  const sources = useSignal(agent.data_source_uuids);
  const lists = () => ({ rules: rules.value, variables: variableList.value, sources: sources.value });
  const stored = useRef(lists());
  /** As it was when the form was filled, or saved. */
  const base = useRef(member);
  /** The `modified_at` that the last save gave it. */
  const saved = useRef('');
  if (agent.modified_at === saved.current) base.current = member;
  const { failureOf, wrongRow, ...saving } = useWrong();
  const removing = useAction();
  const isFixed = type === 'pre-canned' || type === 'spam-defense';
  const read = (data: FormData, isNow: boolean) => {
    const text = (field: string): string => String(data.get(field) ?? '');
    const shown = isNow ? lists() : stored.current;
    return {
      name: text('name').trim(),
      description: text('description'),
      prompt: text('prompt'),
      enabled: data.has('enabled'),
      variables: variablesIn(shown.variables),
      ...(isFixed && { default_message: text('default_message') }),
      ...(type === 'human-escalation' && {
        human_escalation_settings: { human_requested_message: text('human_requested_message') },
      }),
      ...(type === 'user-facing' && {
        use_all_sources: data.has('use_all_sources'),
        data_source_uuids: shown.sources,
      }),
      examples: linesOf(text('examples')),
      rules: rulesIn(shown.rules),
    };
  };
  const { form, changes, save } = useChanges(read);
  const send = async (): Promise<void> => {
    const { examples, rules: changed, ...own } = changes();
    const sent = lists();
    const { modified_at } = await update<Agent>(
      path,
      async (now) => {
        if (now.modified_at !== saved.current)
          refuseLost(changes(), listsIn(base.current), listsIn({ agent: now, routing: await get(`${path}/routing`) }));
        return { ...own, routing: { examples, rules: changed } };
      },
      `${path}/update`,
    );
    saved.current = modified_at;
    stored.current = sent;
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (await saving.run(() => save(send), form.current!)) onChanged();
  };
  const removeAgent = async (): Promise<void> => {
    if (await removing.run(() => remove(`${path}/delete`))) onChanged();
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)}>
      <Check label="Switched on" name="enabled" defaultChecked={enabled === 1} />
      <Field label="Name" name="name" value={name} failure={failureOf('name')} />
      <Field
        label="Description"
        name="description"
        rows={2}
        value={description}
        isRequired={false}
        hint="What it answers: messages are compared with it."
        failure={failureOf('description')}
      />
      <Field
        label="Prompt"
        name="prompt"
        rows={4}
        value={prompt}
        isRequired={false}
        hint="What a model is told."
        failure={failureOf('prompt')}
      />
      {isFixed && (
        <Field
          label="Message"
          name="default_message"
          rows={3}
          value={meta.default_message ?? ''}
          isRequired={false}
          failure={failureOf('default_message', 'meta')}
        />
      )}
      {human_escalation_settings && (
        <Field
          label="Message to whoever asks for a person"
          name="human_requested_message"
          rows={3}
          value={human_escalation_settings.human_requested_message}
          isRequired={false}
          failure={failureOf('human_escalation_settings')}
        />
      )}
      <Field
        label="Examples"
        name="examples"
        rows={4}
        value={routing.examples.join('\n')}
        isRequired={false}
        hint="Messages that it answers, one a line."
        failure={failureOf('routing.examples')}
      />
      <Rows
        legend="Rules"
        hint="It answers where one of them is true, whatever the scores say."
        add="Add a rule"
        empty={NEW_RULE}
        columns={RULE_COLUMNS}
        rows={rules}
        failure={failureOf('routing.rules')}
        wrongRow={wrongRow}
      />
      <Rows
        legend="Variables"
        hint="{{name}} stands for the value in prompt, message and tools."
        add="Add a variable"
        empty={NEW_VARIABLE}
        columns={variableColumns(variables)}
        rows={variableList}
        failure={failureOf('variables')}
        wrongRow={wrongRow}
      />
      {type === 'user-facing' && (
        <AgentSources chatbot={chatbot} chosen={sources} isAll={meta.use_all_sources !== false} />
      )}
      <Failed failure={saving.failure} />
      <p role="status">{saving.isSaved.value && 'Saved.'}</p>
      <Failed failure={removing.failure} />
      <div class="tools">
        <Button kind="primary" type="submit" isBusy={saving.isBusy.value}>
          Save the agent
        </Button>
        <Confirm
          label="Delete the agent"
          question="Delete it with its tools?"
          isBusy={removing.isBusy.value}
          act={() => void removeAgent()}
        />
      </div>
    </form>
  );
}
