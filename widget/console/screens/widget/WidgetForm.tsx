import { useSignal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button, Failed, Field } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { WidgetSettings } from '../../records.ts';
import { count } from '../../words.ts';
import { Failure, post } from '../../wire.ts';
import { changesOf, contrastWithWhite, GROUPS, readSettings, written, type Setting } from './settings.ts';

interface WidgetFormProps {
  chatbot: string;
  /** As the server has them. */
  saved: Signal<WidgetSettings>;
  /** As they stand in the form. */
  draft: Signal<WidgetSettings>;
}

/** All settings of the widget. What is wrong is said at its field, once the server has said so. */
export function WidgetForm({ chatbot, saved, draft }: WidgetFormProps) {
  const form = useRef<HTMLFormElement>(null);
  /** Counts what replaces all that is typed. */
  const version = useSignal(0);
  const wrong = useSignal({ field: '', text: '' });
  const said = useSignal('');
  const { isBusy, failure, run } = useAction();
  const changes = changesOf(draft.value, saved.value);
  const changed = Object.keys(changes);
  const replace = (settings: WidgetSettings): void => {
    draft.value = settings;
    version.value++;
    wrong.value = { field: '', text: '' };
  };
  const input = (): void => {
    draft.value = readSettings(new FormData(form.current!));
    said.value = '';
  };
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    wrong.value = { field: '', text: '' };
    const isSaved = await run(async () => {
      saved.value = await post<WidgetSettings>(`/api/v1/chatbot/${chatbot}/widget`, changes).catch((error: unknown) => {
        if (!(error instanceof Failure) || !error.field) throw error;
        wrong.value = { field: error.field, text: error.message };
        throw new Error(`Not saved: ${error.message}`, { cause: error });
      });
    });
    if (!isSaved) return showWrong(form.current!, wrong.value.field);
    const unknown = Object.keys(changes.words ?? {}).filter((name) => !(name in saved.value.words));
    replace(saved.value);
    said.value = unknown.length > 0 ? `Saved, but no sentence of the widget is named ${unknown.join(', ')}.` : 'Saved.';
  };
  const undo = (): void => {
    replace(saved.value);
    said.value = 'Your changes are undone.';
  };
  const values = written(saved.value);
  return (
    <form ref={form} class="settings" noValidate onInput={input} onSubmit={(event) => void save(event)}>
      {Object.entries(GROUPS).map(([title, settings], at) => (
        <details key={title} class="add" open={at === 0}>
          <summary>{title}</summary>
          <div key={version.value} class="group-fields">
            {settings.map((setting) => (
              <Control
                key={setting.name}
                setting={setting}
                value={values[setting.name]!}
                failure={isOf(setting, wrong.value.field) ? wrong.value.text : ''}
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
          {changed.length > 0 && <Button onClick={undo}>Undo changes</Button>}
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
  if (type === 'checkbox')
    return (
      <label class="choice">
        <input type="checkbox" name={name} defaultChecked={value === 'true'} /> {label}
      </label>
    );
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

/** The server's field may be deeper: `triggers.0.page`. An icon has two controls: what can be wrong is its address. */
function isOf({ name }: Setting, field: string): boolean {
  const [own] = field.split(/[.[]/);
  return name === (own === 'icon' ? 'icon_image' : own);
}

const labelsOf = (names: string[]): string =>
  Object.values(GROUPS)
    .flat()
    .flatMap(({ name, label }) => (names.includes(name) ? [label] : []))
    .join(', ');

/** Opens the group of the field at fault, and puts the focus there. */
function showWrong(form: HTMLFormElement, field: string): void {
  const name = Object.values(GROUPS)
    .flat()
    .find((setting) => isOf(setting, field))?.name;
  const control = name && form.querySelector<HTMLElement>(`[name=${name}]`);
  if (!control) return;
  control.closest('details')!.open = true;
  control.focus();
}

/** Text on the colour is black or white, as can be read; the button itself is to stand out from a white page. */
function adviceOn(color: string): string {
  const contrast = contrastWithWhite(color || '#4048c9');
  const ratio = `${contrast.toFixed(1)} : 1`;
  return contrast < 3
    ? `Hard to see on a white page: ${ratio}, and 3 : 1 is needed. Take a darker one.`
    : `Contrast with a white page ${ratio}.`;
}
