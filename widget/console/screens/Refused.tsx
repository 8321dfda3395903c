import { useEffect } from 'preact/hooks';
import { loadMemberships, roleIn, ROLES_WITH, type Right } from '../account/membership.ts';

/** In place of a screen that needs a right that the user's role does not have. */
export function Refused({ chatbot, right }: { chatbot: string; right: Right }) {
  // The role may have changed since it was looked up.
  useEffect(() => void loadMemberships().catch(() => undefined), []);
  return (
    <p class="notice">
      Your role in this chatbot is {roleIn(chatbot)}: this needs {ROLES_WITH[right]}. An owner can change your role; see{' '}
      <a href={`/console/chatbot/${chatbot}/people`}>People</a>.
    </p>
  );
}
