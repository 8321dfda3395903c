import type { Clock } from '../../../schema/ids.ts';
import type { OwnerAccount, Store } from '../../store.ts';
import { accountVerbs } from '../account-verbs.ts';
import { chatbotVerbs } from '../chatbot-verbs.ts';
import type { PostgresContext } from '../context.ts';
import { countVerbs } from '../count-verbs.ts';
import { messageVerbs } from '../message-verbs.ts';
import { sessionVerbs } from '../session-verbs.ts';
import { sourceVerbs } from '../source-verbs.ts';
import { siteVerbs } from '../records/site-verbs.ts';
import { auditVerbs } from '../shared/audit.ts';
import { figureVerbs } from '../shared/figures.ts';
import { passkeyVerbs } from '../shared/passkey-verbs.ts';
import { signInVerbs } from '../shared/sign-in-verbs.ts';

/** All that a store does with records. */
export const verbsOf = (
  context: PostgresContext,
  { user }: OwnerAccount,
  clock: Clock,
): Omit<Store, 'owner' | 'bus' | 'passages' | 'visits' | 'close'> => ({
  ...accountVerbs(context, user.uuid),
  ...signInVerbs(context),
  ...passkeyVerbs(context),
  ...chatbotVerbs(context),
  ...siteVerbs(context),
  ...sourceVerbs(context),
  ...sessionVerbs(context),
  ...messageVerbs(context),
  ...countVerbs(context, clock),
  ...figureVerbs(context),
  ...auditVerbs(context),
});
