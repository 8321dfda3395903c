import type { VisitorMessage } from '../server/types.ts';
import type { Chat } from './chat.ts';
import { readCitations } from './citations.ts';
import { asFailure, type Feedback, type Question } from './client.ts';
import type { Memory } from './memory.ts';
import { statusOf } from './status.ts';
import { createTurn, type Turn } from './turn.ts';

/** Milliseconds after which a question that was never sent is a draft: nobody expects it to be asked by itself any more. */
const LATE_MS = 600_000;
const AGAIN_MS = 400;
const MOST_TRIES = 3;

const nameOf = ({ known }: Turn): string | undefined => known.message;

function readFeedback(json: string): Partial<Feedback> {
  try {
    return { ...(JSON.parse(json) as Feedback) };
  } catch {
    return {};
  }
}

function fromRecord(session: string, record: VisitorMessage): Turn {
  const turn = createTurn(record.query, { session, message: record.uuid, from: record.response.length });
  turn.status.value = statusOf(record.finish_reason);
  turn.text.value = record.response;
  turn.citations.value = readCitations(record.cite_data_json);
  turn.feedback.value = readFeedback(record.feedback_json);
  return turn;
}

/** Reads back the remembered conversation; answers still being made go on here, questions still unsent are sent. */
export async function restore(chat: Chat): Promise<void> {
  const { memory, turns, history, draft } = chat;
  const { session, last } = memory.read();
  history.value = 'loading';
  if (session) {
    const messages = await read(chat, session);
    if (!messages) return;
    forgetArrived(memory, messages.slice(messages.findIndex(({ uuid }) => uuid === last) + 1));
  }
  history.value = 'read';
  const { sent: unsent = [] } = memory.read();
  const isLate = ({ at = 0 }: Question): boolean => Date.now() - at > LATE_MS;
  const [sent, late] = [unsent.filter((question) => !isLate(question)), unsent.filter(isLate)];
  if (late[0]) memory.write({ sent: sent[0] && sent });
  if (late[0] && !draft.peek()) chat.write(late.at(-1)!.query);
  // The one that was on its way was the first.
  for (const question of sent.sort((one, other) => Number(other.isOut ?? 0) - Number(one.isOut ?? 0))) {
    if (turns.peek().some(({ run }) => run?.question.id === question.id)) continue;
    const turn = createTurn(question.query);
    turns.value = [...turns.peek(), turn];
    chat.start(turn, question);
  }
}

/** Shows what the server has of the session, and gives it; undefined where it did not come. */
async function read(chat: Chat, session: string): Promise<VisitorMessage[] | undefined> {
  const { client, memory, history, tell } = chat;
  const isStill = (): boolean => history.peek() !== 'unread' && memory.read().session === session;
  try {
    for (let tries = 0; ; tries++) {
      const messages = await client.messages(session);
      if (!isStill()) return undefined;
      merge(chat, session, messages);
      const { last } = memory.read();
      // The server names a message before it has stored it.
      if (tries >= MOST_TRIES || !last || messages.some(({ uuid }) => uuid === last)) return messages;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } catch (fault) {
    if (!isStill()) return undefined;
    if (asFailure(fault).status === 404) {
      memory.write({ session: undefined, last: undefined });
      return [];
    }
    history.value = 'failed';
    tell(fault);
    return undefined;
  }
}

/** In the server's order; what it does not know yet stays at the end. */
function merge(chat: Chat, session: string, messages: VisitorMessage[]): void {
  const { turns } = chat;
  const before = turns.peek();
  const known = messages.map((one) => before.find((turn) => nameOf(turn) === one.uuid) ?? fromRecord(session, one));
  turns.value = [...known, ...before.filter((turn) => !known.includes(turn))];
  for (const turn of known) if (!before.includes(turn) && turn.status.peek().is === 'waiting') chat.start(turn);
}

/** A question that reached the server although nobody heard of it is not sent again. */
function forgetArrived(memory: Memory, messages: VisitorMessage[]): void {
  const { sent, last } = memory.read();
  const left = sent?.filter(({ isOut, query }) => !isOut || !messages.some((message) => message.query === query));
  memory.write({ sent: left?.[0] && left, last: messages.at(-1)?.uuid ?? last });
}

/** Another tab has changed what is remembered: shows what was asked there. */
export function compare(chat: Chat): void {
  // Hidden tabs would use up the few connections to one server that a browser opens: each looks when it is looked at.
  if (document.hidden || chat.history.peek() === 'unread') return;
  const { session, last } = chat.memory.read();
  const all = chat.turns.peek();
  const here = all.findLast(({ known }) => known.session)?.known.session;
  if (session !== here && !chat.isBusy.peek()) {
    chat.drop();
    void restore(chat);
  } else if (session && session === here && last && !all.some((turn) => nameOf(turn) === last))
    void read(chat, session);
}

/** A turn's message has its name: it is here once. */
export function settle({ turns }: Chat, turn: Turn): void {
  const double = turns.peek().find((one) => one !== turn && nameOf(one) === nameOf(turn));
  if (!double) return;
  double.run?.drop();
  turns.value = turns.peek().filter((one) => one !== double);
}
