import { useEffect, useRef } from 'preact/hooks';
import { Button, Field, Options, Pending } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Agent, AgentRouting } from '../../agent-records.ts';
import { useSignal } from '../../signals.ts';
import { get, post } from '../../wire.ts';
import { AgentForm } from './AgentForm.tsx';
import { Dials } from './Dials.tsx';
import { AGENT_TYPES, type Member } from './member.ts';
import { Tools } from './Tools.tsx';

/** The team of a chatbot: who answers what, and what other settings would change. */
export function Agents({ chatbot }: { chatbot: string }) {
  const loading = useLoad(chatbot, async (signal) => {
    const agents = await get<Agent[]>(`/api/v1/chatbot/${chatbot}/agents`, signal);
    return Promise.all(
      agents.map(async (agent): Promise<Member> => {
        const routing = await get<AgentRouting>(`/api/v1/agent/${agent.uuid}/routing`, signal);
        return { agent, routing };
      }),
    );
  });
  const { data, reload } = loading;
  /** Uuid of the agent that was made last. */
  const made = useSignal('');
  return (
    <>
      <Pending of={loading} what="the agents" />
      {data.value && (
        <>
          <ul class="team" aria-label="Agents">
            {data.value.map((member) => (
              <li key={member.agent.uuid}>
                <Card chatbot={chatbot} member={member} isNew={member.agent.uuid === made.value} onChanged={reload} />
              </li>
            ))}
          </ul>
          <NewAgent
            chatbot={chatbot}
            onMade={(uuid) => {
              made.value = uuid;
              reload();
            }}
          />
          <Dials chatbot={chatbot} agents={data.value} onSaved={reload} />
        </>
      )}
    </>
  );
}

interface CardProps {
  chatbot: string;
  member: Member;
  /** Opens it, and gives it the focus: whoever has made it goes on with it. */
  isNew: boolean;
  onChanged: () => void;
}

/** Its form is made when it is opened first: it looks up the sources. It stays, with what is typed, where it is closed. */
function Card({ chatbot, member, isNew, onChanged }: CardProps) {
  const wasOpened = useSignal(isNew);
  const summary = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isNew) summary.current?.focus();
  }, []);
  const { name, type, enabled, description } = member.agent;
  return (
    <details
      class="add"
      open={wasOpened.value}
      onToggle={({ currentTarget }) => (wasOpened.value ||= currentTarget.open)}
    >
      <summary ref={summary}>
        {name} <span class={`badge ${enabled ? 'good' : ''}`}>{enabled ? 'on' : 'off'}</span>
        <span class="muted about">
          {AGENT_TYPES[type]}
          {description && ` · ${description}`}
        </span>
      </summary>
      {wasOpened.value && (
        <>
          <AgentForm chatbot={chatbot} member={member} onChanged={onChanged} />
          {type === 'user-facing' && <Tools agent={member.agent} onChanged={onChanged} />}
        </>
      )}
    </details>
  );
}

function NewAgent({ chatbot, onMade }: { chatbot: string; onMade: (uuid: string) => void }) {
  const { isBusy, failure, run } = useAction();
  const submit = sent(async (text, form) => {
    const body = { name: text('name'), type: text('type') };
    const isMade = await run(async () => {
      const { uuid } = await post<Agent>(`/api/v1/chatbot/${chatbot}/agent/create`, body);
      onMade(uuid);
    });
    if (!isMade) return;
    form.reset();
    form.closest('details')!.open = false;
  });
  return (
    <details class="add">
      <summary>Add an agent</summary>
      <form onSubmit={submit}>
        <Field
          label="Name of the new agent"
          name="name"
          hint="It is off until you switch it on."
          failure={failure.value}
        />
        <label>
          What it does
          <select name="type">
            <Options choices={AGENT_TYPES} />
          </select>
        </label>
        <Button kind="primary" type="submit" icon="add" isBusy={isBusy.value}>
          Add the agent
        </Button>
      </form>
    </details>
  );
}
