import { isObject } from '../../../schema/validate.ts';
import { jsonIn } from '../../../schema/json.ts';
import { withoutUser } from '../../shared/members.ts';
import type { StoredChatbot } from '../../store.ts';
import type { Queries } from '../connection.ts';

/** As PostgreSQL writes an array. */
export const arrayOf = (uuids: string[]): string => `{${uuids.join(',')}}`;

/** Whom the column `members` names. */
export const usersIn = ({ members = [] }: StoredChatbot): string => arrayOf(members.map(({ user }) => user));

/** With the columns that are kept beside the record. The caller has locked the row. */
export async function storeChatbot(tx: Queries, chatbot: StoredChatbot, record: string): Promise<void> {
  const { uuid, owner } = chatbot;
  await tx`update chatbots set record = ${record}, owner = ${owner}, members = ${usersIn(chatbot)} where uuid = ${uuid}`;
}

/** The caller has locked the user: nobody makes the user a member meanwhile. */
export async function leaveChatbots(tx: Queries, user: string): Promise<void> {
  const rows = await tx<{ record: string }[]>`
    select record from chatbots where members @> ${arrayOf([user])} and not is_deleted order by uuid for no key update`;
  for (const { record } of rows) {
    const chatbot = jsonIn(record) as StoredChatbot;
    if (!isObject(chatbot)) continue;
    const left = withoutUser(chatbot, user);
    if (left !== chatbot) await storeChatbot(tx, left, JSON.stringify(left));
  }
}
