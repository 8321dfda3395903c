import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { mayLeave } from '../leave.ts';
import { Options } from './controls.tsx';

/** Values by the names that they have in the address and in the API. */
type Values = Partial<Record<string, string>>;

interface Narrowed {
  values: Values;
  /** Begins with `?`; '' where nothing narrows the list. */
  query: string;
  /** False where the owner wants to stay with what is not saved. */
  narrow: (name: string, value: string) => boolean;
}

/** What narrows the list of a screen: it stands in the address. `base`: that of the list. */
export function useFilters(names: readonly string[], base: string): Narrowed {
  const { query, route } = useLocation();
  const values = Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const asQuery = (all: Record<string, string>): string => {
    const text = String(new URLSearchParams(all));
    return text && `?${text}`;
  };
  return {
    values,
    query: asQuery(values),
    narrow(name, value) {
      const { [name]: _before, ...others } = values;
      if (!mayLeave()) return false;
      route(base + asQuery({ ...others, ...(value && { [name]: value }) }));
      return true;
    },
  };
}

interface Filter {
  /** Is seen of a day, and among further filters; else it stands in the field while that is empty. */
  label: string;
  type?: 'search' | 'text' | 'date';
  placeholder?: string;
  /** Of a choice: its words by value; '' stands for all. */
  choices?: Record<string, string>;
}
type Fields = Record<string, Filter>;

interface FiltersProps extends Omit<Narrowed, 'query'> {
  fields: Fields;
  /** Folded away unless one of them narrows the list. */
  further?: Fields;
}

/** The fields that narrow a list. */
export function Filters({ fields, further = {}, values, narrow }: FiltersProps) {
  const isOpen = useRef(false);
  const chosen = Object.keys(further).filter((name) => values[name]).length;
  // It stays open where the last of them is taken away.
  isOpen.current ||= chosen > 0;
  const draw = (of: Fields, isSeen: boolean) =>
    Object.entries(of).map(([name, { label, type, placeholder = label, choices }]) => {
      const field = {
        name,
        value: values[name] ?? '',
        onChange({ currentTarget }: { currentTarget: { value: string } }) {
          if (!narrow(name, currentTarget.value.trim())) currentTarget.value = values[name] ?? '';
        },
      };
      return (
        <label key={name}>
          <span class={isSeen || type === 'date' ? '' : 'hidden'}>{label}</span>
          {choices ? (
            <select {...field}>
              <Options choices={choices} />
            </select>
          ) : (
            <Input type={type ?? 'text'} placeholder={placeholder} {...field} />
          )}
        </label>
      );
    });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {draw(fields, false)}
      {Object.keys(further).length > 0 && (
        <details open={isOpen.current} onToggle={({ currentTarget }) => (isOpen.current = currentTarget.open)}>
          <summary>More filters{chosen > 0 && ` (${chosen})`}</summary>
          <div class="filters">{draw(further, true)}</div>
        </details>
      )}
    </form>
  );
}

interface InputProps {
  type: keyof typeof TYPES;
  value: string;
  name: string;
  placeholder: string;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** Follows the address; what is typed and not yet there stays while the list is drawn again. */
function Input({ type, value, ...attributes }: InputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current!.value = value;
  }, [value]);
  return <input ref={input} {...TYPES[type]} maxLength={200} defaultValue={value} {...attributes} />;
}

/** A type of its own each: the types of JSX give every one its roles. */
const TYPES = { search: { type: 'search' }, text: { type: 'text' }, date: { type: 'date' } } as const;
