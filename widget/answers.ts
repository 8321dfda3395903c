import { newId, type Question } from './client.ts';
import { createRun, type Run, type Way } from './run.ts';
import { hasEnded } from './status.ts';
import type { Turn } from './turn.ts';

/** The answers being made, one after another: a later question may lean on an earlier answer. */
export interface Answers {
  /** Asks the turn's question, or `question` once more, or takes up what is known of its answer. */
  start(turn: Turn, question?: Question): void;
  /** The same again; after a lost connection it is the very same message, so nothing is asked twice. */
  retry(turn: Turn): void;
  /** Whether the question is among them, or was. */
  has(question: Question): boolean;
  /** Stops all; what is written of them stays. */
  stop(): void;
  /** Forgets one, or all, at once and without a word. */
  drop(turn?: Turn): void;
}

export function createAnswers(way: Omit<Way, 'askAgain'>): Answers {
  const runs = new Map<Turn, Run>();
  let queue = Promise.resolve();

  function start(turn: Turn, question: Question = { query: turn.query, id: newId(), at: Date.now() }): void {
    runs.get(turn)?.drop();
    const run = createRun(turn, question, { ...way, askAgain });
    runs.set(turn, run);
    queue = queue.then(run.make);
  }

  /** As another message, from the start. */
  function askAgain(turn: Turn): void {
    turn.known = { from: 0 };
    turn.text.value = '';
    start(turn);
  }

  function retry(turn: Turn): void {
    const status = turn.status.peek();
    const run = runs.get(turn);
    if (!hasEnded(status)) return;
    turn.status.value = { is: 'waiting' };
    if (run && status.reason === 'network') return start(turn, run.question);
    run?.forget();
    askAgain(turn);
  }

  function stop(): void {
    for (const [turn, run] of runs) if (!hasEnded(turn.status.peek())) run.stop();
  }

  const has = ({ id }: Question): boolean => [...runs.values()].some(({ question }) => question.id === id);

  function drop(turn?: Turn): void {
    for (const [one, run] of runs) {
      if (turn && one !== turn) continue;
      run.drop();
      runs.delete(one);
    }
    if (!turn) queue = Promise.resolve();
  }

  return { start, retry, has, stop, drop };
}
