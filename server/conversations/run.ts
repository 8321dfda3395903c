import { setMaxListeners } from 'node:events';
import type { Agent, Chatbot } from '../schema/records.ts';
import { forEachConcurrent } from '../async/for-each-concurrent.ts';
import { differencesOf, unsentIn, type Difference } from './compare.ts';
import type { Conversation, ConversationFile } from './format.ts';
import { hintsFor, namesOf, type KnownNames } from './hints.ts';
import { holdConversation, type Call, type HeldTurn, type HoldOptions } from './hold.ts';

/** A conversation that was held, with what was wrong in it. */
export interface Judged {
  /** As the command line names it. */
  file: string;
  conversation: Conversation;
  turns: JudgedTurn[];
  /** Seconds. */
  time: number;
}

export interface JudgedTurn {
  held: HeldTurn;
  /** None where all holds. */
  differences: Difference[];
  /** Where it does not: what of the turn's names the chatbot does not have. */
  hints?: string[];
}

export const isFailed = ({ turns }: Judged): boolean => turns.some(({ differences }) => differences.length > 0);

/** By whom answers are. */
export interface Answers {
  total: number;
  byModel: number;
  /** Why quotes stand in for a model, with how often. */
  fallbacks: Map<string, number>;
}

export function answersOf(judged: readonly Judged[]): Answers {
  const metas = judged.flatMap(({ turns }) => turns.flatMap(({ held }) => held.reply?.meta ?? []));
  const fallbacks = new Map<string, number>();
  for (const { fallback } of metas) if (fallback) fallbacks.set(fallback, (fallbacks.get(fallback) ?? 0) + 1);
  return { total: metas.length, byModel: metas.filter(({ model }) => model !== undefined).length, fallbacks };
}

/** How many calls of functions that write a dry run left out. */
export const countUnsent = (judged: readonly Judged[]): number =>
  judged
    .flatMap(({ turns }) => turns.flatMap(({ held }) => held.reply?.meta.functions_called ?? []))
    .filter(({ content }) => unsentIn(content) !== undefined).length;

/** A chatbot and the way to it. */
export interface Door {
  call: Call;
  chatbot: Chatbot;
}

/** How many conversations are held at the same time. */
const CONCURRENT = 16;

interface RunOptions extends HoldOptions {
  door(file: ConversationFile): Promise<Door>;
  /** Called with how many have been held. */
  onProgress?(held: number): void;
}

/**
 * Holds the conversations of these files and judges them; in the order of the files, whatever the order they ended in.
 * After an abort only those that had ended.
 */
export async function runConversations(
  files: ConversationFile[],
  { door, onProgress, callsWrites, signal }: RunOptions,
): Promise<Judged[]> {
  const doors = new Map<ConversationFile, Door>();
  for (const file of files) doors.set(file, await door(file));
  // Each conversation under way has one.
  if (signal) setMaxListeners(CONCURRENT + 1, signal);
  const all = files.flatMap((file) => file.conversations.map((conversation) => ({ file, conversation })));
  const judged = new Map<Conversation, Judged>();
  await forEachConcurrent(
    all,
    async ({ file, conversation }) => {
      if (signal?.aborted) return;
      const start = performance.now();
      const { call, chatbot } = doors.get(file)!;
      const held = await holdConversation(call, chatbot, conversation, { callsWrites, signal });
      if (signal?.aborted) return;
      const isCiting = chatbot.meta.show_citations;
      const turns = held.map((one) => ({ held: one, differences: differencesOf(one, isCiting) }));
      judged.set(conversation, { file: file.name, conversation, turns, time: (performance.now() - start) / 1000 });
      onProgress?.(judged.size);
    },
    CONCURRENT,
  );
  await addHints(
    all.flatMap(({ file, conversation }) => ({ door: doors.get(file)!, judged: judged.get(conversation) })),
  );
  return all.flatMap(({ conversation }) => judged.get(conversation) ?? []);
}

/** Asks for a chatbot's agents where a turn failed that names some of what they have. */
async function addHints(all: { door: Door; judged: Judged | undefined }[]): Promise<void> {
  const names = new Map<Door, KnownNames>();
  for (const { door, judged } of all) {
    for (const turn of judged?.turns ?? []) {
      const isNaming = turn.differences.some(({ what }) => /^(?:agent|state|labels|tools|variables\..*)$/.test(what));
      if (!judged || !isNaming) continue;
      const agents = (): Promise<Agent[]> => door.call<Agent[]>('GET', `/api/v1/chatbot/${door.chatbot.uuid}/agents`);
      // A server that has gone away is told of with the turns.
      const known = names.get(door) ?? (await agents().then(namesOf, () => undefined));
      if (!known) return;
      names.set(door, known);
      turn.hints = hintsFor(turn.held.turn, judged.conversation, known);
    }
  }
}
