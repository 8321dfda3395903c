import { Button, Failed } from '../../parts/controls.tsx';
import { useLeave } from '../../leave.ts';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { useSignal } from '../../signals.ts';
import { count } from '../../words.ts';
import type { Agent } from '../../agent-records.ts';
import { post } from '../../wire.ts';
import type { Member } from './member.ts';

interface Replay {
  replayed: number;
  moved: number;
  close: number;
  messages: { uuid: string; session: string; query: string; from: { name: string }; to: { name: string } }[];
}

type Dial = 'bias' | 'stickness';
/** By `uuid`. */
type Settings = Record<string, Partial<Record<Dial, number>>>;

const DIALS: Record<Dial, { min: number; hint: string }> = {
  bias: { min: -3, hint: 'more or fewer messages' },
  stickness: { min: 0, hint: 'keeps a conversation that it has begun' },
};

interface DialsProps {
  chatbot: string;
  agents: Member[];
  onSaved: () => void;
}

/** Bias and stickness of the agents that are chosen by score, and which of the newest messages they would move. */
export function Dials({ chatbot, agents, onSaved }: DialsProps) {
  const team = agents.flatMap(({ agent }) => (agent.enabled && agent.type !== 'background' ? agent : []));
  /** Of those dials that were turned. */
  const turned = useSignal<Settings>({});
  const settingsOf = ({ uuid, meta: { bias = 0, stickness = 0 } }: Agent): Record<Dial, number> => ({
    bias,
    stickness,
    ...turned.value[uuid],
  });
  const { isBusy, failure: saveFailure, run } = useAction();
  const changed = team
    .filter((agent) => {
      const { bias, stickness } = settingsOf(agent);
      return bias !== (agent.meta.bias ?? 0) || stickness !== (agent.meta.stickness ?? 0);
    })
    .map((agent) => ({ uuid: agent.uuid, ...settingsOf(agent) }));
  useLeave(() => changed.length > 0);
  const { data, failure } = useLoad(JSON.stringify([changed, agents]), (signal) =>
    post<Replay>(`/api/v1/chatbot/${chatbot}/agents/replay`, { agents: changed }, { isSlow: true, signal }),
  );
  const turn = (uuid: string, dial: Dial, value: number): void => {
    turned.value = { ...turned.value, [uuid]: { ...turned.value[uuid], [dial]: value } };
  };
  const save = async (): Promise<void> => {
    const isSaved = await run(async () => {
      for (const { uuid, ...own } of changed) await post(`/api/v1/agent/${uuid}/update`, own);
    });
    if (isSaved) onSaved();
  };
  if (team.length < 2) return <p class="muted">With two agents that are on, dials say who answers more.</p>;
  const replay = data.value;
  return (
    <section aria-label="Who answers more">
      <h2>Who answers more</h2>
      {team.map((agent) => (
        <fieldset key={agent.uuid} class="dials">
          <legend>{agent.name}</legend>
          {(Object.keys(DIALS) as Dial[]).map((dial) => (
            <label key={dial}>
              <span>
                {dial === 'bias' ? 'Bias' : 'Stickness'} {settingsOf(agent)[dial].toFixed(2)}{' '}
                <span class="muted">{DIALS[dial].hint}</span>
              </span>
              <input
                type="range"
                min={DIALS[dial].min}
                max={1}
                step={0.05}
                value={settingsOf(agent)[dial]}
                onChange={(event) => turn(agent.uuid, dial, Number(event.currentTarget.value))}
              />
            </label>
          ))}
        </fieldset>
      ))}
      <Failed failure={failure} />
      <Failed failure={saveFailure} />
      {replay && (
        <>
          <p role="status">
            <strong>{replay.moved}</strong> of the last {count(replay.replayed, 'message')} would have gone elsewhere.
            {replay.close > 0 && ` In ${replay.close} the scores are close: where there is a model, it would decide.`}
          </p>
          {replay.messages.length > 0 && (
            <ul class="rows" aria-label="Messages that would go elsewhere">
              {replay.messages.map(({ uuid, session, query, from, to }) => (
                <li key={uuid}>
                  <a href={`/console/chatbot/${chatbot}/conversations/${session}`}>
                    <strong class="cut">{query}</strong>
                    <span class="muted">
                      {from.name || 'nobody'} → {to.name || 'nobody'}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {changed.length > 0 && (
        <Button kind="primary" isBusy={isBusy.value} onClick={() => void save()}>
          Save these settings
        </Button>
      )}
    </section>
  );
}
