import type { Signal } from '@preact/signals';
import { Check, Failed } from '../../parts/controls.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { DataSource, SourceTag } from '../../records.ts';
import { TYPES } from '../../words.ts';
import { get } from '../../wire.ts';

/** Sources that are offered one by one; others are chosen by a tag, and stay where they are chosen. */
const MAX_OFFERED = 200;

interface AgentSourcesProps {
  chatbot: string;
  chosen: Signal<string[]>;
  /** Whether it answers from all sources, whatever is chosen. */
  isAll: boolean;
}

/** Which sources an agent answers from, by tag and one by one. */
export function AgentSources({ chatbot, chosen, isAll }: AgentSourcesProps) {
  const { data, failure, reload } = useLoad(chatbot, async (signal) => {
    const [sources, tags] = await Promise.all([
      get<DataSource[]>(`/api/v1/chatbot/${chatbot}/data-sources?limit=${MAX_OFFERED}`, signal),
      get<SourceTag[]>(`/api/v1/chatbot/${chatbot}/source-tags?limit=1000`, signal),
    ]);
    return { sources, tags: tags.filter((tag) => tag.data_source_uuids.length > 0) };
  });
  const has = new Set(chosen.value);
  const set = (uuids: string[], isIn: boolean): void => {
    const others = chosen.value.filter((uuid) => !uuids.includes(uuid));
    chosen.value = isIn ? [...others, ...uuids] : others;
  };
  const choice = (key: string, name: string, uuids: string[]) => (
    <Check
      key={key}
      label={<span class="words">{name}</span>}
      checked={uuids.every((uuid) => has.has(uuid))}
      onChange={(event) => set(uuids, event.currentTarget.checked)}
    />
  );
  const { sources = [], tags = [] } = data.value ?? {};
  return (
    <>
      <fieldset class="sources">
        <legend>Sources</legend>
        <Check label="All of them" name="use_all_sources" defaultChecked={isAll} />
        {sources.map(({ uuid, title, file_name, type }) => choice(uuid, title || file_name || TYPES[type], [uuid]))}
      </fieldset>
      {tags.length > 0 && (
        <fieldset class="sources">
          <legend>Sources by tag</legend>
          <p class="hint">It chooses those that have the tag now.</p>
          {tags.map(({ uuid, name, data_source_uuids: of }) => choice(uuid, `${name} (${of.length})`, of))}
        </fieldset>
      )}
      <Failed failure={failure} again={reload} />
    </>
  );
}
