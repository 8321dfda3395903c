import type { Context } from 'koa';
import type { Logger } from 'pino';
import { timestamp, type Clock } from '../schema/ids.ts';
import type { Store, StoredChatbot } from '../store/store.ts';

/** Origins of a chatbot that are kept: a program can send any. */
const MAX_ORIGINS = 5;

/**
 * Notes from which site a widget was first loaded, once for each, so that its owner sees whether it is there. Pages of this server
 * send no `Origin` with what they only read. The reply does not wait for it.
 */
export function noteOrigin(
  { store, clock, log }: { store: Pick<Store, 'updateChatbot'>; clock: Clock; log: Logger },
  { uuid, seen_on: seen = [] }: StoredChatbot,
  ctx: Context,
): void {
  const sent = ctx.get('Origin');
  const origin = /^https?:\/\//.test(sent) && URL.canParse(sent) ? new URL(sent).origin : '';
  const isNew = (list: readonly { origin: string }[]): boolean =>
    list.length < MAX_ORIGINS && list.every((one) => one.origin !== origin);
  if (origin === '' || origin.length > 300 || !isNew(seen)) return;
  const add = (chatbot: StoredChatbot): StoredChatbot => {
    const { seen_on = [] } = chatbot;
    return isNew(seen_on) ? { ...chatbot, seen_on: [...seen_on, { origin, at: timestamp(clock) }] } : chatbot;
  };
  store.updateChatbot(uuid, add).catch((err: unknown) => log.warn({ err, chatbot: uuid }, 'origin not noted'));
}
