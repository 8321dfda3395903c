import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatbotFace } from '../server/types.ts';
import type { Client } from './client.ts';
import type { Memory } from './memory.ts';

/** Who the chatbot is, and what its owner wants agreed before anything is sent to it. */
export interface Meeting {
  readonly face: Signal<ChatbotFace | undefined>;
  /** What the visitor has yet to agree to; '' for nothing. */
  readonly consent: ReadonlySignal<string>;
  /** Asks who the chatbot is, until it has said so. */
  meet(): Promise<unknown>;
  agree(): void;
}

export function createMeeting(client: Client, memory: Memory, tell: (fault: unknown) => void): Meeting {
  const face = signal<ChatbotFace | undefined>(undefined);
  const agreed = signal(memory.read().agreed);
  let meeting: Promise<unknown> | undefined;
  return {
    face,
    consent: computed(() => (!agreed.value && face.value?.consent) || ''),
    meet: () =>
      (meeting ??= client.face().then(
        (found) => (face.value = found),
        (fault: unknown) => {
          meeting = undefined;
          tell(fault);
        },
      )),
    agree() {
      memory.write({ agreed: true });
      agreed.value = true;
    },
  };
}
