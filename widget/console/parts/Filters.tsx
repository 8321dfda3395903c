interface FiltersProps {
  /** Names the field; stands in it while it is empty. */
  searchLabel: string;
  onSearch: (text: string) => void;
  /** Names the choice. */
  choiceLabel: string;
  /** Its words, by value; '' stands for all. */
  choices: Record<string, string>;
  onChoose: (value: string) => void;
}

/** What narrows a list: words, and one choice. */
export const Filters = ({ searchLabel, onSearch, choiceLabel, choices, onChoose }: FiltersProps) => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <label>
      <span class="hidden">{searchLabel}</span>
      <input type="search" placeholder={searchLabel} onChange={(event) => onSearch(event.currentTarget.value.trim())} />
    </label>
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
  </form>
);
