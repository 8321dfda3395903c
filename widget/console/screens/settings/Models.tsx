import { Button, Failed } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { useSignal } from '../../signals.ts';
import { get, post } from '../../wire.ts';

interface ServerModel {
  kind: 'chat' | 'embeddings';
  model: string;
  host: string;
}
interface Check extends ServerModel {
  is_fine: boolean;
  ms: number;
  problem: string;
  advice: string;
}

const PATH = '/api/v1/server/models';
const KINDS = { chat: 'Answers', embeddings: 'Search by meaning' };

/** Which models the server speaks to, and whether they answer; for its operator alone. */
export function Models() {
  const { data, failure, reload } = useLoad('models', (signal) => get<{ models: ServerModel[] }>(PATH, signal));
  const checks = useSignal<Check[]>([]);
  const { isBusy, failure: testFailure, run } = useAction();
  const models = data.value?.models;
  const test = (): Promise<boolean> =>
    run(async () => {
      checks.value = [];
      checks.value = (await post<{ checks: Check[] }>(`${PATH}/test`, {}, { isSlow: true })).checks;
    });
  if (!models && !failure.value) return null;
  return (
    <section>
      <h2>Model</h2>
      <Failed failure={failure} again={reload} />
      {models?.every(({ kind }) => kind !== 'chat') && (
        <p>
          No model writes answers: they are quoted from the sources. LLM_BASE_URL and LLM_MODEL of the server name one.
        </p>
      )}
      {models?.map(({ kind, model, host }) => (
        <p key={kind} class="words">
          {KINDS[kind]}: <strong>{model}</strong> {host ? `at ${host}` : 'on this server'}
        </p>
      ))}
      {models && models.length > 0 && (
        <Button isBusy={isBusy.value} onClick={() => void test()}>
          Test
        </Button>
      )}
      <Failed failure={testFailure} />
      <div role="status">
        {checks.value.map(({ kind, is_fine, ms, problem, advice }) => (
          <p key={kind} class="words">
            {KINDS[kind]}:{' '}
            {is_fine ? <strong class="good">works, {ms} ms.</strong> : <strong class="bad">{problem}</strong>} {advice}
          </p>
        ))}
      </div>
    </section>
  );
}
