import type { ChatbotProfile } from '../../server/types.ts';
import type { Chatbot, WidgetSettings } from './records.ts';
import { Failure, get } from './wire.ts';

/** A chatbot with what its widget is told, as `GET /chat/{chatbot}` tells it; of a private one too, which has none. */
export interface Shown {
  chatbot: Chatbot;
  settings: WidgetSettings;
  profile: ChatbotProfile;
}

/** What a widget is told; undefined of a private chatbot, and where the console itself is refused. */
export const loadTold = (uuid: string, signal?: AbortSignal): Promise<ChatbotProfile | undefined> =>
  get<ChatbotProfile>(`/chat/${uuid}`, signal).catch((error: unknown) => {
    // Over plain HTTP browsers do not say that the page is the server's own: a list of origins refuses it then.
    if (error instanceof Failure && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  });

export async function loadShown(uuid: string, signal?: AbortSignal): Promise<Shown> {
  const [chatbot, settings, told] = await Promise.all([
    get<Chatbot>(`/api/v1/chatbot/${uuid}`, signal),
    get<WidgetSettings>(`/api/v1/chatbot/${uuid}/widget`, signal),
    loadTold(uuid, signal),
  ]);
  const { name, meta } = chatbot;
  const facts = {
    uuid,
    name,
    show_citations: meta.show_citations,
    site: told?.site ?? '',
    by_ai: told?.by_ai === true,
  };
  const found = settings.suggestions === 'auto' ? (told?.suggestions ?? []) : [];
  return { chatbot, settings, profile: withSettings({ ...facts, suggestions: found } as ChatbotProfile, settings) };
}

/** The profile with settings that may not be saved yet; where they ask for suggested questions, it has those of `profile`. */
export function withSettings(profile: ChatbotProfile, settings: WidgetSettings): ChatbotProfile {
  const { color, radius, offset, z_index, allowed_origins: _, link_hosts: __, ...shown } = settings;
  const theme: Record<string, string> = {
    ...(color && { color }),
    ...(radius !== 18 && { radius: `${radius}px` }),
    ...(offset !== 20 && { offset: `${offset}px` }),
    ...(z_index !== 2_000_000_000 && { z: `${z_index}` }),
    ...(shown.scheme !== 'auto' && { scheme: shown.scheme }),
  };
  const suggestions = shown.suggestions === 'auto' ? profile.suggestions : shown.suggestions;
  const words = Object.fromEntries(Object.entries(shown.words).filter(([name]) => !name.startsWith('reply_')));
  return { ...profile, ...shown, suggestions, words, theme };
}
