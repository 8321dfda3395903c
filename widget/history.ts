import type { Signal } from '@preact/signals';
import type { VisitorMessage } from '../server/types.ts';
import type { Answers } from './answers.ts';
import { asFailure, type Client, type Question } from './client.ts';
import type { Memory } from './memory.ts';
import { createTurn, fromRecord, type Turn } from './turn.ts';

/** What reading back needs of the chat around it. */
export interface Past {
  client: Client;
  memory: Memory;
  answers: Answers;
  turns: Signal<Turn[]>;
  state: Signal<'unread' | 'loading' | 'read' | 'failed'>;
  tell(fault: unknown): void;
  isBusy(): boolean;
  /** Takes everything shown away. */
  drop(): void;
}

export interface History {
  /** Reads back the remembered conversation; answers still being made go on here, questions still unsent are sent. */
  restore(): Promise<void>;
  /** Another tab has changed what is remembered: shows what was asked there. */
  compare(): void;
  /** A turn's message has its name: it is here once. */
  settle(turn: Turn): void;
}

export function createHistory({ client, memory, answers, turns, state, tell, isBusy, drop }: Past): History {
  const nameOf = ({ known }: Turn): string | undefined => known.message;

  async function restore(): Promise<void> {
    const { session, last } = memory.read();
    if (session) {
      state.value = 'loading';
      const messages = await read(session);
      if (!messages) return;
      settleSent(messages.slice(messages.findIndex(({ uuid }) => uuid === last) + 1));
    }
    state.value = 'read';
    for (const question of memory.read().sent ?? []) if (!answers.has(question)) send(question);
  }

  /** What the server has of the session; undefined where that is nothing to show. */
  async function read(session: string): Promise<VisitorMessage[] | undefined> {
    const isStill = (): boolean => state.peek() !== 'unread' && memory.read().session === session;
    try {
      const messages = await client.messages(session);
      if (!isStill()) return undefined;
      merge(session, messages);
      return messages;
    } catch (fault) {
      const { status } = asFailure(fault);
      if (!isStill()) return undefined;
      if (status !== 404) {
        state.value = 'failed';
        tell(fault);
        return undefined;
      }
      memory.write({ session: undefined, last: undefined });
      return [];
    }
  }

  /** In the server's order; what it does not know yet stays at the end. */
  function merge(session: string, messages: VisitorMessage[]): void {
    const before = turns.peek();
    const known = messages.map((one) => before.find((turn) => nameOf(turn) === one.uuid) ?? fromRecord(session, one));
    turns.value = [...known, ...before.filter((turn) => !known.includes(turn))];
    for (const turn of known) if (!before.includes(turn) && turn.status.peek().is === 'waiting') answers.start(turn);
  }

  /** A question that reached the server although nobody heard of it is not sent again. */
  function settleSent(messages: VisitorMessage[]): void {
    const { sent = [] } = memory.read();
    const left = sent.filter(({ isOut, query }) => !isOut || !messages.some((message) => message.query === query));
    memory.write({ sent: left[0] && left, last: messages.at(-1)?.uuid ?? memory.read().last });
  }

  function send(question: Question): void {
    const turn = createTurn(question.query);
    turns.value = [...turns.peek(), turn];
    answers.start(turn, question);
  }

  function compare(): void {
    const { session, last } = memory.read();
    const here = turns.peek().findLast(({ known }) => known.session)?.known.session;
    if (state.peek() === 'unread') return;
    if (session !== here && !isBusy()) {
      drop();
      void restore();
    } else if (session && session === here && last && !turns.peek().some((turn) => nameOf(turn) === last))
      void read(session);
  }

  function settle(turn: Turn): void {
    for (const other of turns.peek()) {
      if (other === turn || nameOf(other) !== nameOf(turn)) continue;
      answers.drop(other);
      turns.value = turns.peek().filter((one) => one !== other);
    }
  }

  return { restore, compare, settle };
}
