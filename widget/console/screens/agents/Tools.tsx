import { useRef } from 'preact/hooks';
import { Confirm, focusHeadingFrom } from '../../parts/Confirm.tsx';
import { Button, Check, Failed, Field } from '../../parts/controls.tsx';
import { textsOf } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import { useChanges } from '../../parts/use-changes.ts';
import { useWrong } from '../../parts/use-wrong.ts';
import type { Agent, ToolFunction } from '../../agent-records.ts';
import { useSignal } from '../../signals.ts';
import { linesOf } from '../../words.ts';
import { post, refuseLost, update } from '../../wire.ts';
import { Rows } from './Rows.tsx';
import {
  HEADER_COLUMNS,
  headerRows,
  headersIn,
  NEW_HEADER,
  NEW_PARAMETER,
  PARAMETER_COLUMNS,
  parameterRows,
  parametersIn,
} from './tool.ts';
import { TryTool } from './TryTool.tsx';

const CLASSES = {
  '': 'As the method says: GET reads, the others change something',
  read: 'It only reads',
  write: 'It changes something',
  ask: 'It changes something: the visitor confirms it first',
};
const METHODS = Object.fromEntries(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method]));

const NEW_TOOL = {
  uuid: '',
  name: '',
  description: '',
  enabled: 1,
  method: 'GET',
  external_url: '',
  headers: {},
  parameters: {},
  meta: {},
} satisfies ToolFunction;

/** What an agent's model may call: each with its form and a trial. */
export function Tools({ agent, onChanged }: { agent: Agent; onChanged: () => void }) {
  /** Counts the tools that were added: each leaves an empty form, at once. */
  const added = useSignal(0);
  return (
    <section class="inside" aria-label={`Tools of ${agent.name}`}>
      <h2>Tools</h2>
      {agent.tool_functions.length === 0 && (
        <p class="muted">With a tool, a model looks something up on your server, or does it there.</p>
      )}
      {agent.tool_functions.map((tool) => (
        <details key={tool.uuid} class="add">
          <summary>
            <span class="words">{tool.name}</span> <code>{tool.method}</code>{' '}
            <span class={`badge ${tool.enabled ? 'good' : ''}`}>{tool.enabled ? 'on' : 'off'}</span>
          </summary>
          <ToolForm agent={agent.uuid} tool={tool} onChanged={onChanged} />
          <TryTool tool={tool} />
        </details>
      ))}
      <details key={added.value} class="add">
        <summary>Add a tool</summary>
        <ToolForm
          agent={agent.uuid}
          tool={NEW_TOOL}
          onChanged={() => {
            added.value++;
            onChanged();
          }}
        />
      </details>
    </section>
  );
}

interface ToolFormProps {
  agent: string;
  /** Without a uuid it is made. */
  tool: ToolFunction;
  onChanged: () => void;
}

function ToolForm({ agent, tool, onChanged }: ToolFormProps) {
  const { uuid, meta, parameters } = tool;
  const headers = useSignal(headerRows(tool.headers));
  const rows = useSignal(parameterRows(parameters));
  const stored = useRef({ headers: headers.value, rows: rows.value });
  /** As it was when the form was filled, or saved. */
  const base = useRef(tool);
  const { failureOf, wrongRow, failure, isBusy, isSaved, run } = useWrong();
  const removing = useAction();
  const { form, changes, all, save } = useChanges((data, isNow) => {
    const text = textsOf(data);
    const { class: _, step: __, examples: ___, ...others } = meta;
    const examples = linesOf(text('examples'));
    const shown = isNow ? { headers: headers.value, rows: rows.value } : stored.current;
    return {
      name: text('name'),
      description: text('description'),
      method: text('method'),
      external_url: text('external_url'),
      enabled: data.has('enabled'),
      headers: headersIn(shown.headers),
      parameters: parametersIn(shown.rows, parameters),
      meta: {
        ...others,
        ...(text('class') && { class: text('class') }),
        ...(text('step') && { step: text('step') }),
        ...(examples.length > 0 && { examples }),
      },
    };
  });
  const send = async (): Promise<void> => {
    if (!uuid) return void (await post(`/api/v1/agent/${agent}/function/create`, all()));
    const sent = rows.value;
    base.current = await update<Agent, ToolFunction>(
      `/api/v1/agent/${agent}`,
      ({ tool_functions }) => {
        const changed = changes();
        refuseLost(changed, base.current, tool_functions.find((one) => one.uuid === uuid) ?? {});
        return changed;
      },
      `/api/v1/function/${uuid}/update`,
    );
    headers.value = headerRows(base.current.headers);
    stored.current = { headers: headers.value, rows: sent };
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(() => save(send), form.current!))) return;
    if (!uuid) focusHeadingFrom(form.current);
    onChanged();
  };
  const remove = async (): Promise<void> => {
    if (await removing.run(() => post(`/api/v1/function/${uuid}/delete`))) onChanged();
  };
  const { examples } = meta;
  return (
    <form ref={form} onSubmit={(event) => void submit(event)}>
      <Check label="Switched on" name="enabled" defaultChecked={tool.enabled === 1} />
      <Field label="Name of the tool" name="name" value={tool.name} failure={failureOf('name')} />
      <Field
        label="When to call it"
        name="description"
        rows={2}
        value={tool.description}
        hint="The model picks tools by it."
        failure={failureOf('description')}
      />
      <Field label="Method" name="method" value={tool.method} choices={METHODS} />
      <Field
        label="Address"
        name="external_url"
        value={tool.external_url}
        placeholder="https://shop.example/api/orders/{{customer}}"
        failure={failureOf('external_url')}
      />
      <Rows
        legend="Headers"
        hint="Of a value that is stored only the end is shown. Leave it so to keep it."
        add="Add a header"
        empty={NEW_HEADER}
        columns={HEADER_COLUMNS}
        rows={headers}
        failure={failureOf('headers')}
        wrongRow={wrongRow}
      />
      <Rows
        legend="Parameters"
        hint="What the model fills in. {{name}} stands for the variable of that name."
        add="Add a parameter"
        empty={NEW_PARAMETER}
        columns={PARAMETER_COLUMNS}
        rows={rows}
        failure={failureOf('parameters')}
        wrongRow={wrongRow}
      />
      <Field label="What it does" name="class" value={meta.class ?? ''} isRequired={null} choices={CLASSES} />
      <Field
        label="What visitors see meanwhile"
        name="step"
        value={meta.step ?? ''}
        isRequired={false}
        failure={failureOf('meta.step')}
      />
      <Field
        label="Questions that call it without a model"
        name="examples"
        rows={2}
        value={examples?.join('\n') ?? ''}
        isRequired={false}
        hint="One a line."
        failure={failureOf('meta.examples')}
      />
      <Failed failure={failure} />
      <p role="status">{isSaved.value && 'Saved.'}</p>
      <Failed failure={removing.failure} />
      <div class="tools">
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          {uuid ? 'Save the tool' : 'Add the tool'}
        </Button>
        {uuid && (
          <Confirm
            label="Delete the tool"
            question="Delete this tool?"
            isBusy={removing.isBusy.value}
            act={() => void remove()}
          />
        )}
      </div>
    </form>
  );
}
