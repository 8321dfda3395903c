import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso/router';
import { account, findAccount, otherLink, pendingInvitation, startFailure } from './account/account.ts';
import { may, memberships } from './account/membership.ts';
import { chatbots, forgetChatbots } from './chatbots.ts';
import { Failed, Loading } from './parts/controls.tsx';
import { Frame } from './parts/Frame.tsx';
import { PLACES, type Title } from './routes.ts';
import type { SCREENS } from './screens/all.ts';
import { Chatbots } from './screens/Chatbots.tsx';
import { NotFound } from './screens/NotFound.tsx';
import { OtherLink } from './screens/OtherLink.tsx';
import { OtherUser } from './screens/OtherUser.tsx';
import { Outdated } from './screens/Outdated.tsx';
import { Refused } from './screens/Refused.tsx';
import { SignIn } from './screens/SignIn.tsx';
import { otherUser, owner } from './wire.ts';

/** What the address says of a screen. */
interface Given {
  chatbot?: string;
  session?: string;
  source?: string;
}

/** The screens that are loaded when they are met: undefined until then, `false` where they cannot be. */
const screens = signal<typeof SCREENS | false | undefined>();

function loadScreens(): void {
  void import('./screens/all.ts').then(
    ({ SCREENS: loaded }) => (screens.value = loaded),
    () => (screens.value = false),
  );
}

function Later({ title, ...given }: Given & { title: Title }) {
  useEffect(loadScreens, []);
  if (screens.value === false) return <Outdated />;
  const Screen = screens.value?.[title] as ComponentType<Given> | undefined;
  return Screen ? <Screen {...given} /> : <Loading what="the screen" />;
}

const UUID = /^[0-9a-f]{32}$/;

/**
 * A screen in its frame. It is made anew for each chatbot, and once the role there is known. What the address has in place of a uuid
 * never becomes a part of a request's path: encoded, it could lead to another operation.
 */
function Framed({ title, chatbot, session, source }: Given & { title: Title }) {
  // Beside the look for the role.
  useEffect(loadScreens, []);
  const given = { ...(chatbot && { chatbot }), ...(session && { session }), ...(source && { source }) };
  const isUnknown = !!chatbot && chatbots.value?.every(({ uuid }) => uuid !== chatbot);
  // It may have been made in another tab since the list was loaded.
  useLayoutEffect(() => {
    if (isUnknown) forgetChatbots();
  }, [chatbot]);
  if (isUnknown || !Object.values(given).every((uuid) => UUID.test(uuid))) return <NotFound />;
  const { right } = PLACES.find((place) => place.title === title) ?? {};
  return (
    <Frame title={title} {...(chatbot && { chatbot })}>
      {!chatbot || !right || (memberships.value && may(chatbot, right)) ? (
        <Later key={`${title} ${chatbot}`} title={title} {...given} />
      ) : memberships.value ? (
        <Refused chatbot={chatbot} right={right} />
      ) : (
        <Loading what="your role" />
      )}
    </Frame>
  );
}

/** The sign-in page, or the screen of the address. Nobody is asked to sign in while the server cannot say who is. */
export function Console() {
  if (account.value === undefined)
    return startFailure.value ? (
      <main class="sign-in">
        <h1>Docent</h1>
        <Failed failure={startFailure} again={() => void findAccount()} />
      </main>
    ) : null;
  if (pendingInvitation.value && !otherUser.value) return <Later key="invitation" title="Invitation" />;
  const isIn = account.value !== false && !otherLink.value && !otherUser.value;
  return (
    <>
      {!isIn && (otherUser.value ? <OtherUser /> : otherLink.value ? <OtherLink /> : <SignIn />)}
      {owner.value && (
        <div key={owner.value} hidden={!isIn}>
          <LocationProvider scope="/console">
            <Router>
              <Route path="/console" component={Chatbots} />
              <Route path="/console/chatbot/:chatbot" component={Framed} title="Today" />
              {PLACES.map(({ path, title }) => (
                <Route key={path} path={`/console/chatbot/:chatbot/${path}`} component={Framed} title={title} />
              ))}
              <Route path="/console/settings" component={Framed} title="Settings" />
              <Route path="/console/settings/audit" component={Framed} title="Audit log" />
              <Route default component={NotFound} />
            </Router>
          </LocationProvider>
        </div>
      )}
    </>
  );
}
