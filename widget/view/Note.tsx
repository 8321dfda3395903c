import type { VNode } from 'preact';
import type { Turn } from '../turn.ts';
import type { Status } from '../status.ts';
import { fill, type PanelWords } from '../words/en.ts';
import { useRoom } from './context.ts';
import { Retry } from './Icon.tsx';

function failureNote(code: string, words: PanelWords): string {
  if (code === 'network') return words.offline;
  if (code === 'not_found') return words.gone;
  if (code === 'interrupted') return words.interrupted;
  return code === 'quota' ? words.quota : words.failed;
}

/** What is to be said of a turn beside its text; empty where there is nothing. */
export function noteOf(status: Status, words: PanelWords): string {
  if (status.is === 'reconnecting') return words.reconnecting;
  if (status.is === 'limited') return status.message;
  if (status.is === 'failed') return failureNote(status.code, words);
  if (status.is !== 'done' || status.finish === 'stop') return '';
  return status.finish === 'stopped' ? words.stopped : words.shortened;
}

const clockTime = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function Wait({ until }: { until: number }): VNode {
  const { chat, words } = useRoom();
  const left = Math.max(0, Math.ceil((until - chat.now.value) / 1000));
  return <p class="wait">{left > 0 && fill(words.limitedFor, { time: clockTime(left) })}</p>;
}

export function Note({ turn }: { turn: Turn }): VNode | null {
  const { chat, words } = useRoom();
  const status = turn.status.value;
  const isEarly = status.is === 'limited' && status.until > chat.now.value;
  const note = noteOf(status, words);
  if (!note) return null;
  return (
    <div class={`note ${status.is}`}>
      <p>{note}</p>
      {status.is === 'limited' && <Wait until={status.until} />}
      {(status.is === 'limited' || status.is === 'failed') && (
        <Retry label={words.retry} isEarly={isEarly} onClick={() => chat.retry(turn)} />
      )}
    </div>
  );
}
