import { Button, Failed, Options } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Agent, AgentRouting } from '../../agent-records.ts';
import { useSignal } from '../../signals.ts';
import { get, update } from '../../wire.ts';

interface AddExampleProps {
  chatbot: string;
  query: string;
  /** Uuid of the agent that has answered. */
  answeredBy: string;
}

/** Makes the question an example of another agent's. */
export function AddExample({ chatbot, query, answeredBy }: AddExampleProps) {
  const { data } = useLoad(chatbot, (signal) => get<Agent[]>(`/api/v1/chatbot/${chatbot}/agents`, signal));
  const added = useSignal('');
  const { isBusy, failure, run } = useAction();
  const others = data.value?.filter(({ uuid, type }) => uuid !== answeredBy && type !== 'background') ?? [];
  const submit = sent((text) =>
    run(async () => {
      const uuid = text('agent');
      await update<AgentRouting>(`/api/v1/agent/${uuid}/routing`, ({ examples }) => ({
        examples: [...examples.filter((one) => one !== query), query],
      }));
      added.value = others.find((one) => one.uuid === uuid)?.name ?? '';
    }),
  );
  if (others.length === 0) return null;
  return (
    <details class="add">
      <summary>Wrong agent</summary>
      <form onSubmit={submit}>
        <label>
          Add the question as an example to
          <select name="agent">
            <Options
              choices={Object.fromEntries(
                others.map(({ uuid, name, enabled }) => [uuid, enabled ? name : `${name} (switched off)`]),
              )}
            />
          </select>
        </label>
        <Button type="submit" icon="add" isBusy={isBusy.value}>
          Add the example
        </Button>
        <p role="status">{added.value && `It is an example of ${added.value}’s now: ask again to see who answers.`}</p>
        <Failed failure={failure} />
      </form>
    </details>
  );
}
