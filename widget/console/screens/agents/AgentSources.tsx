import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Check, Failed } from '../../parts/controls.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { DataSource, SourceTag } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { TYPES } from '../../words.ts';
import { Failure, get } from '../../wire.ts';

/** Sources that are offered one by one, beside those that are chosen; others are found by words, or chosen by a tag. */
const MAX_OFFERED = 200;

interface AgentSourcesProps {
  chatbot: string;
  chosen: Signal<string[]>;
  /** Whether it answers from all sources, whatever is chosen. */
  isAll: boolean;
}

/** Which sources an agent answers from, by tag and one by one. */
export function AgentSources({ chatbot, chosen, isAll }: AgentSourcesProps) {
  const sought = useSignal('');
  const known = useMemo(() => new Map<string, DataSource>(), []);
  const search = new URLSearchParams(sought.value && { search: sought.value });
  const { data, failure, reload } = useLoad(`${chatbot} ${search}`, async (signal) => {
    const [matches, tags] = await Promise.all([
      get<DataSource[]>(`/api/v1/chatbot/${chatbot}/data-sources?limit=${MAX_OFFERED + 1}&${search}`, signal),
      get<SourceTag[]>(`/api/v1/chatbot/${chatbot}/source-tags?limit=1000`, signal),
    ]);
    const found = matches.slice(0, MAX_OFFERED);
    for (const one of found) known.set(one.uuid, one);
    const others = chosen.value.filter((uuid) => !found.some((one) => one.uuid === uuid));
    const seek = async (uuid: string): Promise<DataSource | undefined> => {
      if (!known.has(uuid)) known.set(uuid, await get<DataSource>(`/api/v1/data-source/${uuid}`, signal));
      return known.get(uuid);
    };
    // One that is gone is not offered.
    const ifThere = (uuid: string) =>
      seek(uuid).catch((error: unknown) => {
        if (!(error instanceof Failure && error.status === 404)) throw error;
      });
    const kept = await Promise.all(others.slice(0, MAX_OFFERED).map(ifThere));
    return {
      matches: matches.length,
      unlisted: others.length - kept.length,
      sources: [...kept.filter((one) => one !== undefined), ...found],
      tags: tags.filter((tag) => tag.data_source_uuids.length > 0),
    };
  });
  const find = (event: Event & { currentTarget: HTMLInputElement }): void => {
    if ('key' in event && event.key !== 'Enter') return;
    // Enter would save the form around it.
    event.preventDefault();
    sought.value = event.currentTarget.value.trim();
  };
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
  const { matches = 1, unlisted = 0, sources = [], tags = [] } = data.value ?? {};
  return (
    <>
      <fieldset class="sources">
        <legend>Sources</legend>
        <Check label="All of them" name="use_all_sources" defaultChecked={isAll} />
        <input
          type="search"
          aria-label="Find sources"
          placeholder="Find sources"
          maxLength={200}
          onKeyDown={find}
          onChange={find}
        />
        <p class="hint" role="status">
          {matches === 0 && 'Nothing matches.'}
          {matches > MAX_OFFERED && 'There are more: search to find them.'}
          {unlisted > 0 && ` Chosen too, and not listed: ${unlisted}.`}
        </p>
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
