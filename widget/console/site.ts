import { may } from './account/membership.ts';
import { loadChatbots } from './chatbots.ts';
import type { Site } from './records.ts';
import { post } from './wire.ts';

/** Has a site read for the chatbot, which takes over its name, its colour and its icon meanwhile. Rejects where it is not begun. */
export async function readSite(chatbot: string, address: URL): Promise<Site> {
  const site = await post<Site>(`/api/v1/chatbot/${chatbot}/data-source/site`, { url: address.href });
  // What fails leaves the name of the host and the default look.
  void takeOverLook(chatbot, address).catch(() => undefined);
  return site;
}

async function takeOverLook(chatbot: string, { href, hostname }: URL): Promise<void> {
  const path = `/api/v1/chatbot/${chatbot}`;
  const look = await post<{ name: string; color: string; icon: string }>(
    `${path}/widget/look`,
    { url: href },
    { isSlow: true },
  );
  if (may(chatbot, 'own')) await post(`${path}/update`, { name: look.name || hostname });
  const { color, icon } = look;
  if (color || icon) await post(`${path}/widget`, { ...(color && { color }), ...(icon && { icon }) });
  await loadChatbots();
}
