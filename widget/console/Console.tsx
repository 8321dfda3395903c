import type { ComponentType } from 'preact';
import lazy from 'preact-iso/lazy';
import { LocationProvider, Route, Router } from 'preact-iso/router';
import { account, owner, pendingInvitation } from './account/account.ts';
import { Chatbots } from './screens/Chatbots.tsx';
import { NotFound } from './screens/NotFound.tsx';
import { Outdated } from './screens/Outdated.tsx';
import { SignIn } from './screens/SignIn.tsx';

interface OfChatbot {
  chatbot: string;
  /** Of the address, where it has one. */
  session?: string;
  source?: string;
}

const UUID = /^[0-9a-f]{32}$/;

/**
 * A screen is loaded when it is met, and made anew for each chatbot. What the address has in place of a uuid never becomes a part of a
 * request's path: encoded, it could lead to another operation.
 */
function ofChatbot(load: () => Promise<ComponentType<OfChatbot>>): ComponentType<OfChatbot> {
  const Screen = lazy(() => load().catch(() => Outdated)) as ComponentType<OfChatbot>;
  return ({ chatbot, session, source }) =>
    [chatbot, session, source].every((uuid) => uuid === undefined || UUID.test(uuid)) ? (
      <Screen key={chatbot} chatbot={chatbot} {...(session && { session })} {...(source && { source })} />
    ) : (
      <NotFound />
    );
}

const Today = ofChatbot(() => import('./screens/today/Today.tsx').then((screen) => screen.Today));
const Gaps = ofChatbot(() => import('./screens/gaps/Gaps.tsx').then((screen) => screen.Gaps));
const Start = ofChatbot(() => import('./screens/start/Start.tsx').then((screen) => screen.Start));
const Sources = ofChatbot(() => import('./screens/sources/Sources.tsx').then((screen) => screen.Sources));
const SourceView = ofChatbot(() =>
  import('./screens/sources/SourceView.tsx').then((screen) => screen.SourceView as ComponentType<OfChatbot>),
);
const Conversations = ofChatbot(() =>
  import('./screens/conversations/Conversations.tsx').then((screen) => screen.Conversations),
);
const Playground = ofChatbot(() => import('./screens/playground/Playground.tsx').then((screen) => screen.Playground));
const Agents = ofChatbot(() => import('./screens/agents/Agents.tsx').then((screen) => screen.Agents));
const Widget = ofChatbot(() => import('./screens/widget/Widget.tsx').then((screen) => screen.Widget));
const People = ofChatbot(() => import('./screens/people/People.tsx').then((screen) => screen.People));
const General = ofChatbot(() => import('./screens/people/General.tsx').then((screen) => screen.General));
const loadAuditLog = () => import('./screens/audit/AuditLog.tsx').then((screen) => screen.AuditLog);
const ChatbotLog = ofChatbot(loadAuditLog);
const OwnLog = lazy(() => loadAuditLog().catch(() => Outdated)) as ComponentType;
const Accept = lazy(() =>
  import('./screens/people/Accept.tsx').then(
    (screen) => screen.Accept,
    () => Outdated,
  ),
);
const Settings = lazy(() =>
  import('./screens/settings/Settings.tsx').then(
    (screen) => screen.Settings,
    () => Outdated,
  ),
);

/** The sign-in page, or the screen of the address. */
export function Console() {
  if (account.value === undefined) return null;
  if (pendingInvitation.value)
    return (
      <LocationProvider key="accept" scope="/console">
        <Router>{[<Route key="accept" default component={Accept} />]}</Router>
      </LocationProvider>
    );
  const isIn = account.value !== false;
  return (
    <>
      {!isIn && <SignIn />}
      {owner.value && (
        <div key={owner.value} hidden={!isIn}>
          <LocationProvider scope="/console">
            <Router>
              <Route path="/console" component={Chatbots} />
              <Route path="/console/chatbot/:chatbot" component={Today} />
              <Route path="/console/chatbot/:chatbot/today" component={Today} />
              <Route path="/console/chatbot/:chatbot/gaps" component={Gaps} />
              <Route path="/console/chatbot/:chatbot/start" component={Start} />
              <Route path="/console/chatbot/:chatbot/sources" component={Sources} />
              <Route path="/console/chatbot/:chatbot/sources/:source" component={SourceView} />
              <Route path="/console/chatbot/:chatbot/conversations/:session?" component={Conversations} />
              <Route path="/console/chatbot/:chatbot/playground" component={Playground} />
              <Route path="/console/chatbot/:chatbot/agents" component={Agents} />
              <Route path="/console/chatbot/:chatbot/widget" component={Widget} />
              <Route path="/console/chatbot/:chatbot/people" component={People} />
              <Route path="/console/chatbot/:chatbot/general" component={General} />
              <Route path="/console/chatbot/:chatbot/general/audit" component={ChatbotLog} />
              <Route path="/console/settings" component={Settings} />
              <Route path="/console/settings/audit" component={OwnLog} />
              <Route default component={NotFound} />
            </Router>
          </LocationProvider>
        </div>
      )}
    </>
  );
}
