import type { Embedder, Model } from '../../model/model.ts';
import { TextsRefused } from '../../model/model.ts';
import { OutboundFailure } from '../../outbound/failures.ts';
import type { Clock } from '../../schema/ids.ts';
import type { ModelCheck, ServerModel } from '../../schema/models-file.ts';

/** Milliseconds: a model that is loaded first may take that long. */
const MAX_WAIT_MS = 30_000;
/** Tokens of the reply; one that reasons needs more than a word. */
const MAX_TEST_TOKENS = 64;

/** A model server of the operator's: what it is called, and one short call of it. */
export interface Checkable extends ServerModel {
  /** Rejects as `Model.generate` and `Embedder.embed` do. */
  call(): Promise<void>;
}

interface Endpoint {
  baseUrl: string;
  model: string;
}

export const checkableModel = ({ baseUrl, model: name }: Endpoint, model: Model): Checkable => ({
  kind: 'chat',
  model: name,
  host: new URL(baseUrl).host,
  async call() {
    const messages = [{ role: 'user' as const, content: 'Reply with the word OK.' }];
    const generation = model.generate({ messages, temperature: 0, maxTokens: MAX_TEST_TOKENS }, () => {});
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      generation.stop();
    }, MAX_WAIT_MS);
    await generation.done.finally(() => clearTimeout(timer));
    if (isLate) throw new OutboundFailure('timeout', 'model_timeout', 'the model did not answer in time');
  },
});

/** `endpoint`: undefined for the one in this process. */
export const checkableEmbedder = (endpoint: Endpoint | undefined, embedder: Embedder): Checkable => ({
  kind: 'embeddings',
  model: embedder.model,
  host: endpoint ? new URL(endpoint.baseUrl).host : '',
  call: async () => void (await embedder.embed(['OK'], MAX_WAIT_MS)),
});

/** Calls each, one after another. Never rejects: what is wrong is said, in words of ours alone. */
export async function checkModels(all: readonly Checkable[], clock: Clock): Promise<ModelCheck[]> {
  const checks: ModelCheck[] = [];
  for (const { kind, model, host, call } of all) {
    const start = clock();
    const fault = await call().then(
      () => undefined,
      (error: unknown) => faultOf(error, { kind, model, host }),
    );
    checks.push({ kind, model, host, ms: clock() - start, ...(fault ?? { is_fine: true, problem: '', advice: '' }) });
  }
  return checks;
}

function faultOf(
  error: unknown,
  { kind, model, host }: ServerModel,
): Pick<ModelCheck, 'is_fine' | 'problem' | 'advice'> {
  const variables = VARIABLES[kind];
  const fault = (problem: string, advice: string) => ({ is_fine: false, problem, advice });
  if (error instanceof TextsRefused)
    return fault(
      `${host} refuses the request.`,
      `Check that it knows an embedding model ${model}: ${variables.model}.`,
    );
  const reason = error instanceof OutboundFailure ? error.reason : 'bad_reply';
  const status = Number(/^status_(\d+)$/.exec(reason)?.[1] ?? 0);
  if (status === 401 || status === 403)
    return fault(`${host} refuses the key (status ${status}).`, `Set ${variables.key} to a key of that server.`);
  if (status === 404)
    return fault(
      `${host} does not know the model ${model}, or its API is at another address (status 404).`,
      `Check ${variables.model}, and that ${variables.address} is the address before /${kind === 'chat' ? 'chat/completions' : 'embeddings'}, mostly ending with /v1.`,
    );
  if (status === 400 || status === 422)
    return fault(
      `${host} refuses the request (status ${status}).`,
      `Mostly it does not know the model ${model}: check ${variables.model}.`,
    );
  if (status > 0)
    return fault(`${host} answers with the error ${status}.`, 'Look into the log of that server, then try again.');
  const [problem, advice] = FAULTS[reason] ?? FAULTS['bad_reply']!;
  return fault(problem(host), advice(variables.address));
}

const VARIABLES = {
  chat: { model: 'LLM_MODEL', address: 'LLM_BASE_URL', key: 'LLM_API_KEY' },
  embeddings: {
    model: 'EMBED_MODEL',
    address: 'EMBED_BASE_URL, or else LLM_BASE_URL,',
    key: 'EMBED_API_KEY, or LLM_API_KEY without EMBED_BASE_URL,',
  },
};

const FAULTS: Record<string, [problem: (host: string) => string, advice: (address: string) => string]> = {
  unreachable: [
    (host) => `${host} cannot be reached.`,
    (address) => `Check that it runs, and that this server may connect to it: ${address}.`,
  ],
  timeout: [
    (host) => `${host} did not answer within ${MAX_WAIT_MS / 1000} seconds.`,
    () => 'A model that is loaded first may need longer: try again. Else take a smaller model, or a faster machine.',
  ],
  busy: [
    (host) => `${host} has too much to do, or its quota is used up (status 429).`,
    () => 'Try again later, and look at the limits of your account there.',
  ],
  overloaded: [
    () => 'Too many calls wait for the model.',
    () => 'Try again later. MODEL_CONCURRENCY says how many run at once.',
  ],
  bad_reply: [
    (host) => `What ${host} answers is not as the OpenAI interface says.`,
    (address) => `Check that ${address} is the address of an OpenAI-compatible API, mostly ending with /v1.`,
  ],
};
