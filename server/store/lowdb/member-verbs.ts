import { forEachConcurrent } from '../../async/for-each-concurrent.ts';
import { withoutUser } from '../shared/members.ts';
import type { Store } from '../store.ts';
import type { Accounts } from './accounts/account-file.ts';
import type { StoreContext } from './context.ts';
import type { StoredRecord } from './files/record.ts';

/** Users as members of chatbots, which stand in files of their own, as their audit logs do. */
export function memberVerbs(
  { chatbots, audit, run }: StoreContext,
  record: StoredRecord<Accounts>,
  removeUser: Store['removeUser'],
): Pick<Store, 'joinChatbot' | 'removeUser'> {
  const leaveAll = (user: string) =>
    run(() =>
      forEachConcurrent(chatbots.files(), async ({ chatbot: { uuid } }) => {
        await chatbots.change(uuid, (file) => {
          const chatbot = withoutUser(file.chatbot, user);
          return chatbot === file.chatbot ? file : { ...file, chatbot };
        });
      }),
    );

  return {
    async joinChatbot(uuid, user, change) {
      let isThere = false;
      const changed = await run(() =>
        chatbots.update(uuid, (chatbot) => {
          isThere = record.stored.users.some((one) => one.uuid === user);
          return isThere ? change(chatbot) : chatbot;
        }),
      );
      return isThere ? changed : undefined;
    },

    async removeUser(user) {
      const isRemoved = await removeUser(user);
      // Not before: a chatbot that the user joins meanwhile is found too.
      if (isRemoved) await leaveAll(user);
      if (isRemoved) await run(() => audit.removeAll(user));
      return isRemoved;
    },
  };
}
