import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button, Check, Failed, Field } from '../../parts/controls.tsx';
import { useWrong } from '../../parts/use-wrong.ts';
import type { WidgetSettings } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { count } from '../../words.ts';
import { refuseLost, update } from '../../wire.ts';
import { changesOf, contrastWithWhite, GROUPS, readSettings, written, type Setting } from './settings.ts';

interface WidgetFormProps {
  chatbot: string;
  /** As the server has them. */
  saved: Signal<WidgetSettings>;
  /** As they stand in the form. */
  draft: Signal<WidgetSettings>;
}

/** Of the two controls of an icon, what can be wrong is its address. */
const FIELDS: Record<string, string> = { icon: '', icon_image: 'icon' };

/** All settings of the widget. What is wrong is said at its field, once the server has said so. */
export function WidgetForm({ chatbot, saved, draft }: WidgetFormProps) {
  const form = useRef<HTMLFormElement>(null);
  /** Counts what replaces all that is typed. */
  const version = useSignal(0);
  const said = useSignal('');
  const { isBusy, failure, failureOf, run } = useWrong();
  const changes = changesOf(draft.value, saved.value);
  const changed = Object.keys(changes);
  const replace = (settings: WidgetSettings): void => {
    draft.value = settings;
    version.value++;
  };
  const input = (): void => {
    draft.value = readSettings(new FormData(form.current!));
    said.value = '';
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const sent = draft.value;
    const save = async (): Promise<void> => {
      saved.value = await update<WidgetSettings>(`/api/v1/chatbot/${chatbot}/widget`, (now) => {
        refuseLost(changes, saved.value, now);
        return changes;
      });
    };
    if (!(await run(save, form.current!))) return;
    const unknown = Object.keys(changes.words ?? {}).filter((name) => !(name in saved.value.words));
    // Where the server writes it otherwise. What was typed meanwhile stays, and so does the focus.
    if (draft.value === sent && Object.keys(changesOf(sent, saved.value)).length > 0) replace(saved.value);
    said.value = unknown.length > 0 ? `Saved, but no sentence of the widget is named ${unknown.join(', ')}.` : 'Saved.';
  };
  const undo = async (): Promise<void> => {
    await run(async () => replace(saved.value), form.current!);
    said.value = 'Your changes are undone.';
  };
  const values = written(saved.value);
  return (
    <form ref={form} class="settings" noValidate onInput={input} onSubmit={(event) => void submit(event)}>
      {Object.entries(GROUPS).map(([title, settings], at) => (
        <details key={title} class="add" open={at === 0}>
          <summary>{title}</summary>
          <div key={version.value} class="group-fields">
            {settings.map((setting) => (
              <Control
                key={setting.name}
                setting={setting}
                value={values[setting.name]!}
                failure={failureOf(FIELDS[setting.name] ?? setting.name)}
                hint={setting.name === 'color' ? adviceOn(draft.value.color) : setting.hint}
              />
            ))}
          </div>
        </details>
      ))}
      <div class="save">
        <Failed failure={failure} />
        <p role="status" class="hint">
          {changed.length > 0
            ? `${count(changed.length, 'unsaved change')}: ${labelsOf(changed)}`
            : said.value || 'Nothing is unsaved.'}
        </p>
        <div class="tools">
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            Save
          </Button>
          {changed.length > 0 && <Button onClick={() => void undo()}>Undo changes</Button>}
        </div>
      </div>
    </form>
  );
}

interface ControlProps {
  setting: Setting;
  value: string;
  failure: string;
  hint: string | undefined;
}

function Control({ setting: { name, label, type = 'text', rows, choices }, value, failure, hint }: ControlProps) {
  if (type === 'checkbox') return <Check label={label} name={name} defaultChecked={value === 'true'} />;
  return (
    <Field
      label={label}
      name={name}
      type={type}
      value={value}
      isRequired={null}
      failure={failure}
      choices={choices}
      {...(hint && { hint })}
      {...(rows && { rows })}
    />
  );
}

const labelsOf = (names: string[]): string =>
  Object.values(GROUPS)
    .flat()
    .flatMap(({ name, label }) => (names.includes(name) ? [label] : []))
    .join(', ');

/** Text on the colour is black or white, as can be read; the button itself is to stand out from a white page. */
function adviceOn(color: string): string {
  const contrast = contrastWithWhite(color || '#4048c9');
  const ratio = `${contrast.toFixed(1)} : 1`;
  return contrast < 3
    ? `Hard to see on a white page: ${ratio}, and 3 : 1 is needed. Take a darker one.`
    : `Contrast with a white page ${ratio}.`;
}
