import { Button, Failed } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { useSignal } from '../../signals.ts';
import { count } from '../../words.ts';
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
type Settings = Record<string, Record<Dial, number>>;

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
  const settings = useSignal<Settings>(
    Object.fromEntries(team.map(({ uuid, meta }) => [uuid, { bias: meta.bias ?? 0, stickness: meta.stickness ?? 0 }])),
  );
  const { isBusy, failure: saveFailure, run } = useAction();
  const changed = team
    .filter(({ uuid, meta }) => {
      const { bias, stickness } = settings.value[uuid]!;
      return bias !== (meta.bias ?? 0) || stickness !== (meta.stickness ?? 0);
    })
    .map(({ uuid }) => ({ uuid, ...settings.value[uuid] }));
  const { data, failure } = useLoad(JSON.stringify(changed), () =>
    post<Replay>(`/api/v1/chatbot/${chatbot}/agents/replay`, { agents: changed }, { isSlow: true }),
  );
  const set = (uuid: string, dial: Dial, value: number): void => {
    settings.value = { ...settings.value, [uuid]: { ...settings.value[uuid]!, [dial]: value } };
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
      {team.map(({ uuid, name }) => (
        <fieldset key={uuid} class="dials">
          <legend>{name}</legend>
          {(Object.keys(DIALS) as Dial[]).map((dial) => (
            <label key={dial}>
              <span>
                {dial === 'bias' ? 'Bias' : 'Stickness'} {settings.value[uuid]![dial].toFixed(2)}{' '}
                <span class="muted">{DIALS[dial].hint}</span>
              </span>
              <input
                type="range"
                min={DIALS[dial].min}
                max={1}
                step={0.05}
                value={settings.value[uuid]![dial]}
                onChange={(event) => set(uuid, dial, Number(event.currentTarget.value))}
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
