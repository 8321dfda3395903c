import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';
import type { Loaded } from './use-load.ts';

interface ButtonProps {
  children: ComponentChildren;
  icon?: IconName;
  kind?: 'primary' | 'plain' | 'danger';
  type?: 'button' | 'submit';
  isBusy?: boolean;
  onClick?: () => void;
}

/** While it is busy it can be focused still, and says so. */
export const Button = ({ children, icon, kind = 'plain', type = 'button', isBusy = false, onClick }: ButtonProps) => (
  <button class={`button ${kind}`} type={type} aria-disabled={isBusy} onClick={() => !isBusy && onClick?.()}>
    {isBusy ? <span class="spinner" /> : icon && <Icon name={icon} />}
    <span>{children}</span>
  </button>
);

/** A type of its own each: the types of JSX give every one its roles. */
const INPUTS = {
  text: { type: 'text' },
  url: { type: 'url' },
  password: { type: 'password' },
  number: { type: 'number' },
  color: { type: 'color' },
} as const;

interface OptionsProps {
  /** Words by value. */
  choices: Record<string, string>;
  /** Chosen until the user chooses. Not by `selected`, which a form does not know as its first value. */
  first?: string | undefined;
}

/** What can be chosen in a `<select>`. */
export const Options = ({ choices, first }: OptionsProps) =>
  Object.entries(choices).map(([value, word]) => (
    <option key={value} value={value} {...(first === value && ({ defaultSelected: true } as object))}>
      {word}
    </option>
  ));

interface CheckProps {
  label: ComponentChildren;
  name?: string;
  /** At first. */
  defaultChecked?: boolean;
  checked?: boolean;
  onChange?: (event: { currentTarget: HTMLInputElement }) => void;
}

/** A box to check, before its label. */
export const Check = ({ label, ...input }: CheckProps) => (
  <label class="choice">
    <input type="checkbox" {...input} /> {label}
  </label>
);

interface FieldProps {
  label: string;
  name: string;
  hint?: string;
  type?: keyof typeof INPUTS;
  /** At first. */
  value?: string;
  placeholder?: string;
  /** Where it is not, the label says so; `null`: it need not, and nothing is said of it. */
  isRequired?: boolean | null;
  rows?: number;
  /** Of a choice among these: its words, by value. */
  choices?: Record<string, string> | undefined;
  autocomplete?: string;
  /** Of the form: stands at the field and is read with it. */
  failure?: string;
}

export function Field({
  label,
  name,
  hint,
  type = 'text',
  rows,
  choices,
  isRequired = true,
  failure = '',
  value,
  ...rest
}: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, failure && `${id}-failure`].filter(Boolean).join(' ');
  const attributes = {
    id,
    name,
    required: isRequired === true,
    'aria-describedby': described || undefined,
    'aria-invalid': failure ? ('true' as const) : undefined,
    spellcheck: type === 'text',
    // Not `value`: what is typed would be lost when a failure is shown.
    ...(value !== undefined && !choices && { defaultValue: value }),
    ...rest,
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired === false && <span class="muted"> (optional)</span>}
      </label>
      {choices ? (
        <select {...attributes}>
          <Options choices={choices} first={value} />
        </select>
      ) : rows ? (
        <textarea rows={rows} {...attributes} />
      ) : (
        <input {...attributes} {...INPUTS[type]} />
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="failure" id={`${id}-failure`} role="alert">
        {failure}
      </p>
    </div>
  );
}

/** Says what went wrong, once it has; `again` is offered as a button. */
export const Failed = ({ failure, again }: { failure: ReadonlySignal<string>; again?: () => void }) => (
  <div role="alert">
    {failure.value && (
      <p class="failed">
        {failure.value} {again && <Button onClick={again}>Try again</Button>}
      </p>
    )}
  </div>
);

/** In place of a list that is loaded for the first time. */
export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    <span class="spinner" /> Loading {what} …
  </p>
);

interface PendingProps {
  of: Loaded<unknown>;
  what: string;
}

/** In place of what is loaded until it is there, and above it where it could not be loaded. */
export const Pending = ({ of: { data, failure, reload }, what }: PendingProps) => (
  <>
    <Failed failure={failure} again={reload} />
    {data.value === undefined && !failure.value && <Loading what={what} />}
  </>
);

/** In place of a list without entries: what it is for, and what to do. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
  </div>
);
