import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso/router';
import { account, owner, pendingInvitation } from './account/account.ts';
import { Loading } from './parts/controls.tsx';
import { Frame } from './parts/Frame.tsx';
import { PLACES, type Title } from './routes.ts';
import type { SCREENS } from './screens/all.ts';
import { Chatbots } from './screens/Chatbots.tsx';
import { NotFound } from './screens/NotFound.tsx';
import { Outdated } from './screens/Outdated.tsx';
import { SignIn } from './screens/SignIn.tsx';

/** What the address says of a screen. */
interface Given {
  chatbot?: string;
  session?: string;
  source?: string;
}

/** The screens that are loaded when they are met: undefined until then, `false` where they cannot be. */
const screens = signal<typeof SCREENS | false | undefined>();

function Later({ title, ...given }: Given & { title: Title }) {
  useEffect(
    () =>
      void import('./screens/all.ts').then(
        ({ SCREENS: loaded }) => (screens.value = loaded),
        () => (screens.value = false),
      ),
    [],
  );
  if (screens.value === false) return <Outdated />;
  const Screen = screens.value?.[title] as ComponentType<Given> | undefined;
  return Screen ? <Screen {...given} /> : <Loading what="the screen" />;
}

const UUID = /^[0-9a-f]{32}$/;

/**
 * A screen is made anew for each chatbot. What the address has in place of a uuid never becomes a part of a request's path: encoded, it
 * could lead to another operation.
 */
function OfChatbot({ title, chatbot, session, source }: Given & { title: Title }) {
  const given = { ...(chatbot && { chatbot }), ...(session && { session }), ...(source && { source }) };
  if (!Object.values(given).every((uuid) => UUID.test(uuid))) return <NotFound />;
  return (
    <Frame title={title} {...(chatbot && { chatbot })}>
      <Later key={`${title} ${chatbot}`} title={title} {...given} />
    </Frame>
  );
}

/** A screen of no chatbot. */
const Own = ({ title }: { title: Title }) => (
  <Frame title={title}>
    <Later title={title} />
  </Frame>
);

/** The sign-in page, or the screen of the address. */
export function Console() {
  if (account.value === undefined) return null;
  if (pendingInvitation.value) return <Later key="invitation" title="Invitation" />;
  const isIn = account.value !== false;
  return (
    <>
      {!isIn && <SignIn />}
      {owner.value && (
        <div key={owner.value} hidden={!isIn}>
          <LocationProvider scope="/console">
            <Router>
              <Route path="/console" component={Chatbots} />
              <Route path="/console/chatbot/:chatbot" component={OfChatbot} title="Today" />
              {PLACES.map(({ path, title }) => (
                <Route key={path} path={`/console/chatbot/:chatbot/${path}`} component={OfChatbot} title={title} />
              ))}
              <Route path="/console/settings" component={Own} title="Settings" />
              <Route path="/console/settings/audit" component={Own} title="Audit log" />
              <Route default component={NotFound} />
            </Router>
          </LocationProvider>
        </div>
      )}
    </>
  );
}
