import { setMaxListeners } from 'node:events';
import type { Chatbot } from '../schema/records.ts';
import { forEachConcurrent } from '../async/for-each-concurrent.ts';
import { differencesOf, type Difference } from './compare.ts';
import type { Conversation, ConversationFile } from './format.ts';
import { holdConversation, type Call, type HeldTurn } from './hold.ts';

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
}

export const isFailed = ({ turns }: Judged): boolean => turns.some(({ differences }) => differences.length > 0);

/** A chatbot and the way to it. */
export interface Door {
  call: Call;
  chatbot: Chatbot;
}

/** How many conversations are held at the same time. */
const CONCURRENT = 16;

interface RunOptions {
  door(file: ConversationFile): Promise<Door>;
  /** Called with how many have been held. */
  onProgress?(held: number): void;
  signal?: AbortSignal;
}

/**
 * Holds the conversations of these files and judges them; in the order of the files, whatever the order they ended in.
 * After an abort only those that had ended.
 */
export async function runConversations(
  files: ConversationFile[],
  { door, onProgress, signal }: RunOptions,
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
      const held = await holdConversation(call, chatbot, conversation, signal);
      if (signal?.aborted) return;
      const isCiting = chatbot.meta.show_citations;
      const turns = held.map((one) => ({ held: one, differences: differencesOf(one, isCiting) }));
      judged.set(conversation, { file: file.name, conversation, turns, time: (performance.now() - start) / 1000 });
      onProgress?.(judged.size);
    },
    CONCURRENT,
  );
  return all.flatMap(({ conversation }) => judged.get(conversation) ?? []);
}
