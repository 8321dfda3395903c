import { Failed, Options } from '../../parts/controls.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { Schedule as ScheduleRecord } from '../../records.ts';
import { get, post } from '../../wire.ts';

const HOURS: Record<string, string> = {
  0: 'Never',
  24: 'Every day',
  168: 'Every week',
  672: 'Every four weeks',
};

/** How often all pages are fetched again by themselves. */
export function Schedule({ chatbot }: { chatbot: string }) {
  const path = `/api/v1/chatbot/${chatbot}/data-source/schedule`;
  const { data, failure, reload } = useLoad(path, (signal) => get<ScheduleRecord>(path, signal));
  const { isBusy, failure: setFailure, run } = useAction();
  const set = async (hours: string): Promise<void> => {
    await run(() => post(path, { hours: Number(hours) }));
    reload();
  };
  if (!data.value) return <Failed failure={failure} again={reload} />;
  const { hours, next_at } = data.value;
  const choices = hours in HOURS ? HOURS : { ...HOURS, [hours]: `Every ${hours} hours` };
  return (
    <div class="schedule">
      <label>
        Fetch all pages again{' '}
        <select value={hours} aria-disabled={isBusy.value} onChange={(event) => void set(event.currentTarget.value)}>
          <Options choices={choices} />
        </select>
      </label>
      {next_at && (
        <span class="muted">
          next on {new Date(next_at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}
        </span>
      )}
      <Failed failure={setFailure} />
    </div>
  );
}
