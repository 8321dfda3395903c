import { Button, Failed, Field } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { ToolFunction } from '../../agent-records.ts';
import { useSignal } from '../../signals.ts';
import { post } from '../../wire.ts';
import { Rows, type Row } from './Rows.tsx';
import { typed } from '../../parts/form.ts';
import { HEADER_COLUMNS, headersIn, NEW_HEADER, propertiesOf, variablesOf } from './tool.ts';

interface Trial {
  outcome: 'done' | 'failed' | 'unsure';
  status: number;
  ms: number;
  answer: string;
  is_cut: boolean;
  error: string;
}

const OUTCOMES = {
  done: 'It worked.',
  failed: 'It failed.',
  unsure: 'It failed, and may have been carried out all the same.',
};

/** Calls the tool as it is stored, with what is filled in: a field for each parameter and variable. */
export function TryTool({ tool }: { tool: ToolFunction }) {
  const others = useSignal<Row[]>([]);
  const trial = useSignal<Trial | undefined>(undefined);
  const { isBusy, failure, run } = useAction();
  const parameters = Object.entries(propertiesOf(tool.parameters));
  const variables = variablesOf(tool);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const filled = (prefix: string, names: string[]): [string, string][] =>
      names.map((name): [string, string] => [name, String(data.get(prefix + name))]).filter(([, text]) => text !== '');
    const args = filled(
      'argument ',
      parameters.map(([name]) => name),
    ).map(([name, text]) => [name, typed(propertiesOf(tool.parameters)[name]!['type'], text)]);
    const body = {
      arguments: Object.fromEntries(args) as object,
      variables: { ...Object.fromEntries(filled('variable ', variables)), ...headersIn(others.value) },
    };
    trial.value = undefined;
    void run(async () => (trial.value = await post<Trial>(`/api/v1/function/${tool.uuid}/try`, body)));
  };
  const got = trial.value;
  const acts = tool.meta.class ? tool.meta.class !== 'read' : tool.method !== 'GET';
  return (
    <form aria-label={`Try ${tool.name}`} onSubmit={submit}>
      <h2>Try it, as it is saved</h2>
      {parameters.map(([name, { description, type }]) => (
        <Field
          key={name}
          label={name}
          name={`argument ${name}`}
          hint={[typeof type === 'string' && type !== 'string' && type, description].filter(Boolean).join(': ')}
          isRequired={!!tool.parameters.required?.includes(name)}
        />
      ))}
      {variables.map((name) => (
        <Field key={name} label={`{{${name}}}`} name={`variable ${name}`} isRequired={false} />
      ))}
      {Object.keys(tool.headers).length > 0 && (
        <Rows
          legend="Variables of the headers"
          hint="What a header holds is not shown, nor which variables it names."
          add="Fill in a variable"
          empty={NEW_HEADER}
          columns={HEADER_COLUMNS}
          rows={others}
        />
      )}
      {acts && <p class="muted">It changes something: to try it does so, too.</p>}
      <Button type="submit" isBusy={isBusy.value}>
        Call it
      </Button>
      <Failed failure={failure} />
      <div role="status">
        {got && (
          <>
            <p>
              <strong class={got.outcome === 'done' ? 'good' : 'bad'}>{OUTCOMES[got.outcome]}</strong>{' '}
              {got.error ? `${got.error}.` : `Status ${got.status}, ${got.ms} ms.`}
              {got.is_cut && ' This is its beginning:'}
            </p>
            {got.answer && (
              <pre class="snippet" tabIndex={0} aria-label="Reply">
                {got.answer}
              </pre>
            )}
          </>
        )}
      </div>
    </form>
  );
}
