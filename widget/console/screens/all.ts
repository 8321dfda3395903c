import type { Title } from '../routes.ts';
import { Agents } from './agents/Agents.tsx';
import { AuditLog } from './audit/AuditLog.tsx';
import { Conversations } from './conversations/Conversations.tsx';
import { Gaps } from './gaps/Gaps.tsx';
import { Accept } from './people/Accept.tsx';
import { General } from './people/General.tsx';
import { People } from './people/People.tsx';
import { Playground } from './playground/Playground.tsx';
import { Settings } from './settings/Settings.tsx';
import { Sources } from './sources/Sources.tsx';
import { SourceView } from './sources/SourceView.tsx';
import { Start } from './start/Start.tsx';
import { Today } from './today/Today.tsx';
import { Widget } from './widget/Widget.tsx';

/** All screens but the first, by their titles: one file of script, loaded when the first of them is met. */
export const SCREENS = {
  Today,
  Start,
  Sources,
  Source: SourceView,
  Gaps,
  Conversations,
  Playground,
  Agents,
  Widget,
  People,
  General,
  'Audit log': AuditLog,
  Settings,
  Invitation: Accept,
} satisfies Record<Title, unknown>;
