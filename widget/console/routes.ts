import type { Right } from './account/membership.ts';
import type { IconName } from './parts/Icon.tsx';

/** A screen of a chatbot. */
export interface Place {
  title: string;
  /** Behind the address of the chatbot. */
  path: string;
  /** That it needs in the chatbot. */
  right: Right;
  /** In the navigation; without one the screen is reached from another. */
  icon?: IconName;
}

/** Those of a chatbot, in the order of the navigation. */
export const PLACES = [
  { title: 'Today', path: 'today', right: 'read figures', icon: 'today' },
  { title: 'Start', path: 'start', right: 'edit', icon: 'snippet' },
  { title: 'Sources', path: 'sources', right: 'edit', icon: 'sources' },
  { title: 'Source', path: 'sources/:source', right: 'edit' },
  { title: 'Gaps', path: 'gaps', right: 'edit', icon: 'gaps' },
  { title: 'Conversations', path: 'conversations/:session?', right: 'read conversations', icon: 'conversations' },
  { title: 'Playground', path: 'playground', right: 'edit', icon: 'ask' },
  { title: 'Agents', path: 'agents', right: 'edit', icon: 'agents' },
  { title: 'Widget', path: 'widget', right: 'edit', icon: 'widget' },
  { title: 'People', path: 'people', right: 'know', icon: 'people' },
  { title: 'General', path: 'general', right: 'own', icon: 'general' },
  { title: 'Audit log', path: 'general/audit', right: 'own' },
] as const satisfies Place[];

/** Of the screens that are loaded when they are met. */
export type Title = (typeof PLACES)[number]['title'] | 'Settings' | 'Invitation';
