import type { Signal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button, Options } from '../../parts/controls.tsx';

/** A row of a form by the names of its columns; `id` tells it from others. */
export interface Row {
  id: number;
  cells: Record<string, string>;
  /** What it was made from: the fields that have no column are kept from it. */
  from?: unknown;
}

export interface Column {
  label: string;
  /** Words by value: a choice in place of a field. */
  choices?: Record<string, string>;
  placeholder?: string;
  isRequired?: boolean;
  /** For the column in such a row; by default in all. */
  isShown?: (cells: Row['cells']) => boolean;
}

interface RowsProps {
  legend: string;
  hint?: string;
  /** On the button that adds a row. */
  add: string;
  /** Of a new row. */
  empty: Row['cells'];
  columns: Record<string, Column>;
  rows: Signal<Row[]>;
  failure?: string;
  /** The row that it is of; -1 for none. */
  wrongRow?: number;
}

let made = 0;
export const rowOf = (cells: Row['cells'], from?: unknown): Row => ({ id: ++made, cells, from });

/** The cells of a row that differ from those it was made with tell that it was changed. */
export const isSame = (a: Row['cells'], b: Row['cells']): boolean =>
  Object.keys(b).every((name) => (a[name] ?? '') === b[name]);

/** A list of records as rows of fields, which can be added to and taken from. */
export function Rows({ legend, hint, add, empty, columns, rows, failure = '', wrongRow = -1 }: RowsProps) {
  const id = useId();
  const place = useRef<HTMLFieldSetElement>(null);
  const fault = (
    <p class="failure" role="alert">
      {failure}
    </p>
  );
  const set = (row: Row, name: string, value: string): void => {
    rows.value = rows.value.map((one) => (one === row ? { ...row, cells: { ...row.cells, [name]: value } } : one));
  };
  const focusLast = (): void =>
    void setTimeout(() =>
      place.current?.querySelector<HTMLElement>('.tool-row:last-of-type :is(input, select)')?.focus(),
    );
  const remove = (row: Row): void => {
    rows.value = rows.value.filter((one) => one !== row);
    place.current?.querySelector<HTMLElement>(':scope > .button')?.focus();
  };
  return (
    <fieldset ref={place} class="tool-rows" aria-describedby={`${id}-about`}>
      <legend>{legend}</legend>
      {rows.value.map((row, at) => (
        <div key={row.id} class="tool-row">
          {Object.entries(columns).map(
            ([name, { label, choices, placeholder, isRequired, isShown = () => true }]) =>
              isShown(row.cells) && (
                <label key={name}>
                  {label}
                  {choices ? (
                    <select value={row.cells[name]} onChange={(event) => set(row, name, event.currentTarget.value)}>
                      <Options choices={choices} />
                    </select>
                  ) : (
                    <input
                      value={row.cells[name]}
                      placeholder={placeholder}
                      required={isRequired}
                      aria-invalid={failure && at === wrongRow ? 'true' : undefined}
                      onInput={(event) => set(row, name, event.currentTarget.value)}
                    />
                  )}
                </label>
              ),
          )}
          <Button icon="remove" onClick={() => remove(row)}>
            Remove
            <span class="hidden">
              {' '}
              {legend} {at + 1}
            </span>
          </Button>
          {at === wrongRow && fault}
        </div>
      ))}
      <Button
        icon="add"
        onClick={() => {
          rows.value = [...rows.value, rowOf(empty)];
          focusLast();
        }}
      >
        {add}
      </Button>
      <div id={`${id}-about`}>
        {hint && <p class="hint">{hint}</p>}
        {!rows.value[wrongRow] && fault}
      </div>
    </fieldset>
  );
}
