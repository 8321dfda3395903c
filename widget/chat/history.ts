import type { Chat } from './types.ts';
import type { Failure } from '../client/client.ts';
import type { applyRecord } from './retry.ts';
import type { createTurn } from './turn.ts';

/** What makes turns of records. It is handed over: this file is loaded once there is a conversation, and needs no other. */
export interface TurnMakers {
  createTurn: typeof createTurn;
  applyRecord: typeof applyRecord;
}

/** An unsent question older than this is not sent by itself; the visitor can retry it. */
const UNSENT_MAX_AGE_MS = 600_000;

/**
 * Loads the stored session's messages that are not shown yet; answers in progress are resumed. The first call also resends the
 * questions that the server may not have received, each with its own id. Rejects where the request fails.
 */
export async function load(chat: Chat, makers: TurnMakers, event?: Event): Promise<void> {
  const { createTurn, applyRecord } = makers;
  const { client, storage, turns, history, isBusy } = chat;
  const { session, sent = {}, ...stored } = storage.read();
  // Of two tabs that ask at once, one has stored its own message over the other's.
  const last = /"last":"(\w+)"/.exec((event as StorageEvent | undefined)?.newValue ?? '')?.[1] ?? stored.last;
  const isFirst = history.peek() !== 'read';
  const shownSession = turns.peek().findLast(({ message }) => message)?.session;
  const { signal } = chat.controller;
  const isCurrent = (): boolean => !signal.aborted && storage.read().session === session;
  if (!isFirst && (session === shownSession ? turns.peek().some(({ message }) => message === last) : isBusy.peek()))
    return;
  if (isFirst) history.value = 'loading';
  try {
    // Of these, one that is not listed was replaced in another tab.
    const shown = turns.peek().filter(({ status }) => status.peek().is === 'done');
    const messages = session ? await client.messages(session) : [];
    if (!isCurrent()) return;
    const before = turns.peek();
    const listed = messages.map((record) => {
      const { query, uuid } = record;
      const turn = before.find(({ message }) => message === uuid) ?? createTurn({ query, session, message: uuid });
      if (!before.includes(turn)) applyRecord(turn, record);
      return turn;
    });
    const unlisted = before.filter(
      (turn) => !listed.includes(turn) && (!turn.message || (turn.session === session && !shown.includes(turn))),
    );
    const unsent = Object.values(isFirst ? sent : {}).flatMap((question) => {
      if (!question || before.some(({ id }) => id === question.id)) return [];
      const earlier = messages.find(({ uuid }) => uuid === question.replaces);
      const turn = createTurn({ ...question, earlier });
      if (Date.now() - turn.at > UNSENT_MAX_AGE_MS) turn.status.value = { is: 'failed', reason: 'network' };
      return turn;
    });
    // The server lists what a question on its way is to replace.
    const onTheirWay = unsent.filter(({ status }) => status.peek().is === 'waiting');
    const replaced = [...before.filter(({ message }) => !message), ...onTheirWay].map(({ replaces }) => replaces);
    turns.value = [...listed.filter(({ message }) => !replaced.includes(message)), ...unlisted, ...unsent];
    history.value = 'read';
    for (const turn of turns.peek()) if (!before.includes(turn)) chat.start(turn);
  } catch (fault) {
    if (!isCurrent()) return;
    // Not: no such chatbot, as while it is private.
    if (/such session/.test(`${(fault as Failure).error}`)) {
      storage.write({ session: undefined, last: undefined });
      return load(chat, makers);
    }
    throw fault;
  }
}
