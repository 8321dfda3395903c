import type { ComponentChildren } from 'preact';

interface FiltersProps {
  /** Names the field; stands in it while it is empty. */
  searchLabel: string;
  onSearch: (text: string) => void;
  /** Names the choice. */
  choiceLabel: string;
  /** Its words, by value; '' stands for all. */
  choices: Record<string, string>;
  onChoose: (value: string) => void;
  /** More choices behind it. */
  children?: ComponentChildren;
}

/** What narrows a list: words, and one choice. */
export const Filters = ({ searchLabel, onSearch, children, ...choice }: FiltersProps) => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <label>
      <span class="hidden">{searchLabel}</span>
      <input type="search" placeholder={searchLabel} onChange={(event) => onSearch(event.currentTarget.value.trim())} />
    </label>
    <Choice {...choice} />
    {children}
  </form>
);

type ChoiceProps = Pick<FiltersProps, 'choiceLabel' | 'choices' | 'onChoose'>;

/** A choice within `Filters`. */
export const Choice = ({ choiceLabel, choices, onChoose }: ChoiceProps) => (
  <label>
    <span class="hidden">{choiceLabel}</span>
    <select onChange={(event) => onChoose(event.currentTarget.value)}>
      {Object.entries(choices).map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  </label>
);
