import type { ComponentChildren } from 'preact';
import type { Candidate, Trace } from '../../records.ts';
import { count } from '../../words.ts';

const WRITTEN_BY: Record<Trace['by'], string> = {
  quotes: 'Sentences of the sources, quoted word for word.',
  model: 'The model wrote it from these passages.',
  message: 'The agent answers with its own message, and reads no pages.',
  small_talk: 'It is small talk, and needs no page.',
  function: 'It is the reply of a tool function.',
  nobody: 'No agent of the chatbot is enabled that could answer.',
};

const ROUTED_BY = {
  only: 'It is the only agent that can.',
  rule: 'A rule of the agent’s decided.',
  classifier: 'The message is most like what it answers.',
  model: 'The model chose it.',
};

/** What the message is, where that alone decides. */
const DETECTED: Record<string, string> = {
  person: 'The message asks for a person.',
  spam: 'The message is spam.',
  small_talk: 'The message is small talk.',
};

/** Only likeness above 0 sets an agent apart from the others, and only the highest: that to a person’s agent may be above 0 beside it. */
function whyChosen(uuid: string, { by, detected, candidates = [] }: NonNullable<Trace['routing']>): string {
  const highest = Math.max(0, ...candidates.map(({ classifier }) => classifier));
  const own = candidates.find((one) => one.uuid === uuid)?.classifier;
  if (detected && by === 'classifier') return DETECTED[detected] ?? '';
  if (by !== 'classifier' || (highest > 0 && own === highest)) return ROUTED_BY[by];
  return highest > 0
    ? 'Bias or stickness puts it before an agent that the message is more like.'
    : 'The message is not clearly like what any of them answers: the highest score decides, and of equal ones the oldest agent.';
}

const CERTAINTY = {
  sure: 'The best passage answers the question.',
  unsure: 'The best passage is close, but may not answer: it is shown as the closest that was found.',
  none: 'The best passage is too far from the question.',
};

/** Confidence may be a little more than 1. */
const percent = (share: number): string => `${Math.round(Math.min(share, 1) * 100)} %`;
const needed = (share: number, least: number): string => `${percent(share)} (needed: ${percent(least)})`;
const decimals = (score: number): string => score.toFixed(2);

/** The five steps of an answer, in their order. */
export const Steps = ({ trace, took }: { trace: Trace; took: number }) => (
  <ol class="why" aria-label="Why this answer">
    <Step title="Who answers">
      <Who trace={trace} />
    </Step>
    <Step title="What was found">
      <Found trace={trace} />
    </Step>
    <Step title="What was written">
      <p>{trace.error_message ? `The answer failed: ${trace.error_message}` : WRITTEN_BY[trace.by]}</p>
      {trace.fallback && <p>The model was not used: {trace.fallback}.</p>}
      {trace.functions_called.map(({ name, content }) => (
        <p key={name}>
          Called <strong>{name}</strong>: {content}
        </p>
      ))}
      {trace.model && (
        <details>
          <summary>The prompt as it was sent</summary>
          <pre class="snippet" tabIndex={0}>
            {trace.model.prompt}
          </pre>
        </details>
      )}
    </Step>
    <Step title="What was checked">
      {trace.decision && (
        <p>
          {CERTAINTY[trace.decision.certainty]} Confidence{' '}
          {needed(trace.decision.confidence, trace.decision.min_confidence)}; words for{' '}
          {needed(trace.decision.held, trace.decision.min_held)} of what is asked.
        </p>
      )}
      {trace.query.unknown_words.length > 0 && (
        <p>No page has these words of the question: {trace.query.unknown_words.join(', ')}.</p>
      )}
      <Checked trace={trace} />
    </Step>
    <Step title="What it cost">
      <Cost trace={trace} took={took} />
    </Step>
  </ol>
);

const Step = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <li>
    <h2>{title}</h2>
    {children}
  </li>
);

const REMOVED: Record<Trace['removed'][number]['why'], string> = {
  unknown: 'no passage has that number',
  unsupported: 'the words of that passage do not say it',
  link: 'it would have been read as a link',
  judge: 'the model, asked whether the passage says it, said no',
};

/** Each marker with the words that it stands for, and those that readers do not get. */
const Checked = ({ trace: { citations, removed } }: { trace: Trace }) => (
  <>
    <p>{citations.length > 0 ? `${count(citations.length, 'marker')} in the answer:` : 'No marker in the answer.'}</p>
    {citations.length > 0 && (
      <ul class="checked" aria-label="Markers">
        {citations.map(({ marker, title, before, text, after, candidate }) => (
          <li key={marker}>
            <sup class="marker">{marker}</sup> <strong>{title}</strong>
            {candidate > 0 && <span class="muted"> passage {candidate}</span>}
            <blockquote>
              {before}
              <mark>{text}</mark>
              {after}
            </blockquote>
          </li>
        ))}
      </ul>
    )}
    {removed.length > 0 && (
      <>
        <p>Taken out:</p>
        <ul class="checked" aria-label="Taken out">
          {removed.map(({ marker, claim, why }, at) => (
            <li key={at}>
              <sup class="marker">{marker}</sup> behind <q>{claim}</q>: {REMOVED[why]}.
            </li>
          ))}
        </ul>
      </>
    )}
  </>
);

function Cost({ trace: { timings, model }, took }: { trace: Trace; took: number }) {
  const steps = [
    ['Who answers', timings.agent],
    ['Search', timings.search],
    ['Writing', timings.write],
    ['Check and end', timings.check],
    ['From the question to the end, the way to this browser included', Math.round(took)],
  ] as const;
  return (
    <>
      <table>
        <tbody>
          {steps.map(([name, ms]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{ms.toLocaleString('en')} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {model
          ? `${count(model.total_tokens, 'token')} of ${model.name}, ${count(model.credits, 'credit')}.`
          : 'No model was asked: no tokens, no credits.'}
      </p>
    </>
  );
}

function Who({ trace: { agent, routing } }: { trace: Trace }) {
  if (!agent.name) return <p>{WRITTEN_BY.nobody}</p>;
  return (
    <>
      <p>
        <strong>{agent.name}</strong> ({agent.type}). {routing && whyChosen(agent.uuid, routing)}
      </p>
      {routing?.candidates && routing.candidates.length > 1 && (
        <table>
          <thead>
            <tr>
              {['Agent', 'Likeness', 'Bias', 'Stickness', 'Score'].map((name, at) => (
                <th key={name} scope="col" class={at ? 'number' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {routing.candidates.map((one) => (
              <tr key={one.uuid}>
                <th scope="row">{one.name}</th>
                {[one.classifier, one.bias, one.stickness, one.score].map((score, at) => (
                  <td key={at} class="number">
                    {decimals(score)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** What the answer was made from, and the first that was left out. */
function Found({ trace: { by, search, sentences, citations } }: { trace: Trace }) {
  const used = search.candidates.filter(({ found, given }) => found || given);
  const leftOut = search.candidates.find((one) => !used.includes(one));
  // Sentences are of the message as a whole, of which each question may have quotes of its own; a model's answer has none.
  const quoted = by === 'model' || citations.length > 0 ? citations : sentences.filter((one) => one.taken);
  const taken = (rank: number): string[] =>
    quoted.filter(({ candidate }) => candidate === rank).map(({ text }) => text);
  if (search.candidates.length === 0)
    return <p>{search.passages ? 'No page has any word of the question.' : 'Nothing was searched.'}</p>;
  return (
    <>
      {search.rewritten && search.rewritten.queries.length > 0 && (
        <p>Searched for: {search.rewritten.queries.map((query) => `“${query}”`).join(', ')}</p>
      )}
      <ul class="passages">
        {used.map((one) => (
          <Passage key={one.rank} candidate={one} quoted={taken(one.rank)} />
        ))}
        {leftOut && <Passage candidate={leftOut} quoted={[]} isLeftOut />}
      </ul>
    </>
  );
}

function Passage({ candidate, quoted, isLeftOut }: { candidate: Candidate; quoted: string[]; isLeftOut?: boolean }) {
  const { rank, title, headings, text, score } = candidate;
  return (
    <li>
      <details>
        <summary>
          {rank}. {title} {headings.length > 0 && <span class="muted">{headings.at(-1)}</span>}{' '}
          <span class="muted">{score ? decimals(score) : ''}</span>{' '}
          {quoted.length > 0 && <span class="badge good">quoted</span>}
          {isLeftOut && <span class="badge">first left out</span>}
        </summary>
        <blockquote>{highlightQuotes(text, quoted)}</blockquote>
      </details>
    </li>
  );
}

/** The passage with the sentences marked that were quoted from it. */
function highlightQuotes(text: string, quoted: string[]): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let at = 0;
  const places = quoted
    .map((sentence) => ({ from: text.indexOf(sentence), length: sentence.length }))
    .filter(({ from }) => from >= 0)
    .toSorted((a, b) => a.from - b.from);
  for (const { from, length } of places) {
    if (from < at) continue;
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, from + length)}</mark>);
    at = from + length;
  }
  return [...pieces, text.slice(at)];
}
