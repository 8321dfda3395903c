import { useRef } from 'preact/hooks';
import { Confirm } from '../../parts/Confirm.tsx';
import { Button, Failed, Field, Options } from '../../parts/controls.tsx';
import { sent } from '../../parts/form.ts';
import { useAction } from '../../parts/use-action.ts';
import type { SourceTag } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { count } from '../../words.ts';
import { post, remove } from '../../wire.ts';

interface TagsProps {
  chatbot: string;
  tags: SourceTag[];
  onChanged: () => void;
}

/** Makes tags, and renames and deletes the one that is chosen. */
export function Tags({ chatbot, tags, onChanged }: TagsProps) {
  const picked = useSignal('');
  const select = useRef<HTMLSelectElement>(null);
  const { isBusy, failure, run } = useAction();
  const tag = tags.find(({ uuid }) => uuid === picked.value);
  const path = tag ? `/api/v1/source-tag/${tag.uuid}` : `/api/v1/chatbot/${chatbot}/source-tag`;
  const save = sent(async (text, form) => {
    const body = { name: text('name'), color: text('color') };
    if (!(await run(() => post(`${path}/${tag ? 'update' : 'create'}`, body)))) return;
    if (!tag) form.reset();
    onChanged();
  });
  const removeTag = async (): Promise<void> => {
    if (!(await run(() => remove(`${path}/delete`)))) return;
    picked.value = '';
    onChanged();
    select.current?.focus();
  };
  return (
    <details class="add">
      <summary>Tags</summary>
      <form onSubmit={save}>
        <p class="muted">A tag names a group of sources: to find them, and to choose them for an agent.</p>
        <label>
          Which tag
          <select ref={select} value={picked.value} onChange={(event) => (picked.value = event.currentTarget.value)}>
            <Options choices={{ '': 'A new one', ...namesOf(tags) }} />
          </select>
        </label>
        <Field
          key={`name ${tag?.uuid}`}
          label="Name of the tag"
          name="name"
          value={tag?.name ?? ''}
          failure={failure.value}
        />
        <Field key={`color ${tag?.uuid}`} label="Colour" name="color" type="color" value={tag?.color ?? '#4048c9'} />
        <span class="tools">
          <Button type="submit" isBusy={isBusy.value}>
            {tag ? 'Save the tag' : 'Add the tag'}
          </Button>
          {tag && (
            <Confirm
              key={tag.uuid}
              label="Delete the tag"
              question={`Take it away from ${count(tag.data_source_uuids.length, 'source')}? They stay.`}
              isBusy={isBusy.value}
              act={() => void removeTag()}
            />
          )}
        </span>
      </form>
    </details>
  );
}

/** Their names by uuid. */
export const namesOf = (tags: SourceTag[]): Record<string, string> =>
  Object.fromEntries(tags.map(({ uuid, name }) => [uuid, name]));

interface TagChosenProps {
  tags: SourceTag[];
  /** Those that are chosen in the list. */
  sources: string[];
  onChanged: () => void;
}

/** Gives the sources that are chosen in the list a tag, or takes one from them. */
export function TagChosen({ tags, sources, onChanged }: TagChosenProps) {
  const { isBusy, failure, run } = useAction();
  const select = useRef<HTMLSelectElement>(null);
  const change = async (field: string): Promise<void> => {
    const body = { [`${field}_data_source_uuids`]: sources };
    if (await run(() => post(`/api/v1/source-tag/${select.current!.value}/update`, body))) onChanged();
  };
  return (
    <div class="filters" role="group" aria-label="Tag the chosen sources">
      <label>
        <span class="hidden">Tag to give or take</span>
        <select ref={select}>
          <Options choices={namesOf(tags)} />
        </select>
      </label>
      <Button isBusy={isBusy.value} onClick={() => void change('add')}>
        Give it to {sources.length}
      </Button>
      <Button isBusy={isBusy.value} onClick={() => void change('remove')}>
        Take it from {sources.length}
      </Button>
      <Failed failure={failure} />
    </div>
  );
}

/** The tags of each source that has one. */
export function tagsBySource(tags: SourceTag[]): Map<string, SourceTag[]> {
  const bySource = new Map<string, SourceTag[]>();
  for (const tag of tags)
    for (const uuid of tag.data_source_uuids) bySource.set(uuid, [...(bySource.get(uuid) ?? []), tag]);
  return bySource;
}
