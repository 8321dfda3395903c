/** What the name of a session's file says: `<uuid>.<chatbot>.<order>.jsonl`, the order in base 36. */
export interface SessionName {
  uuid: string;
  chatbot: string;
  order: number;
}

const SESSION_FILE_NAME = /^([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9a-z]+)\.jsonl$/;

export const fileNameOf = (name: SessionName): string =>
  `${name.uuid}.${name.chatbot}.${name.order.toString(36)}.jsonl`;

export function parseFileName(text: string): SessionName | undefined {
  const [, uuid, chatbot, order] = SESSION_FILE_NAME.exec(text) ?? [];
  return uuid && chatbot && order ? { uuid, chatbot, order: parseInt(order, 36) } : undefined;
}

/** Whether a file that was set aside is of that session: others of the data folder may begin with its uuid. */
export const isOfSession = (text: string, uuid: string): boolean =>
  text.startsWith(`${uuid}.`) && parseFileName(text.replace(/\.damaged(?:\.\d+)?$/, '')) !== undefined;

export const isFileName = (text: string): boolean => SESSION_FILE_NAME.test(text);

/** Of a file's name. */
export const orderOf = (text: string): number => parseInt(text.slice(66, text.lastIndexOf('.')), 36);

export const chatbotOf = (text: string): string => text.slice(33, 65);

export const isOfChatbot = (text: string, chatbot: string): boolean => text.startsWith(chatbot, 33);
