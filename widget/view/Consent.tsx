import type { VNode } from 'preact';
import type { Chat } from '../chat.ts';

/** Stands where the field will be, until the visitor agrees. */
export const Consent = ({ chat }: { chat: Chat }): VNode => (
  <div class="note consent">
    <p>{chat.consent.value}</p>
    <button class="chip" onClick={chat.agree}>
      {chat.words.value.agree}
    </button>
  </div>
);
