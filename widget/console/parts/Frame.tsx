import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { chatbots, loadChatbots } from '../chatbots.ts';
import { may, memberships, type Right } from '../account/membership.ts';
import { Icon, type IconName } from './Icon.tsx';

interface FrameProps {
  /** The chatbot that the screen belongs to; none for the list and the settings. */
  chatbot?: string;
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The column of navigation beside a screen. A new screen's heading takes the focus, as a page's start would. */
export function Frame({ chatbot, title, actions, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = chatbots.value?.find(({ uuid }) => uuid === chatbot)?.name;
  useEffect(() => {
    document.title = [title, name, 'Docent'].filter(Boolean).join(' · ');
  }, [title, name, account.value]);
  useEffect(() => {
    // Where that fails its name is missing, and all is shown: the server refuses what the role does not allow.
    if (chatbot && !chatbots.value) void loadChatbots().catch(() => (memberships.value ??= []));
  }, [chatbot]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title, chatbot, account.value]);
  return (
    <div class="frame">
      <a class="skip" href="#screen">
        Skip to the content
      </a>
      <header class="side">
        <a class="home" href="/console/">
          Docent
        </a>
        <nav aria-label="Console">
          <ul>
            <Item href="/console/" icon="chatbots">
              Chatbots
            </Item>
            {chatbot && (
              <li>
                <span class="group">{name ?? 'Chatbot'}</span>
                <ul>
                  <Item right="read figures" href={`/console/chatbot/${chatbot}/today`} icon="today">
                    Today
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/start`} icon="snippet">
                    Start
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/sources`} icon="sources">
                    Sources
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/gaps`} icon="gaps">
                    Gaps
                  </Item>
                  <Item
                    right="read conversations"
                    href={`/console/chatbot/${chatbot}/conversations`}
                    icon="conversations"
                  >
                    Conversations
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/playground`} icon="ask">
                    Playground
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/agents`} icon="agents">
                    Agents
                  </Item>
                  <Item right="edit" href={`/console/chatbot/${chatbot}/widget`} icon="widget">
                    Widget
                  </Item>
                  <Item right="know" href={`/console/chatbot/${chatbot}/people`} icon="people">
                    People
                  </Item>
                  <Item right="own" href={`/console/chatbot/${chatbot}/general`} icon="general">
                    General
                  </Item>
                </ul>
              </li>
            )}
            <Item href="/console/settings" icon="settings">
              Settings
            </Item>
          </ul>
        </nav>
        <p class="who">{account.value && account.value.user.name}</p>
      </header>
      <main id="screen" tabIndex={-1}>
        <div class="title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {actions}
        </div>
        {children}
      </main>
    </div>
  );
}

interface ItemProps {
  href: string;
  icon: IconName;
  /** In the chatbot of the address: without it the item is not shown. Until it is known the item's place is kept empty. */
  right?: Right;
  children: string;
}

function Item({ href, icon, right, children }: ItemProps) {
  const { path } = useLocation();
  const own = href.replace(/\/$/, '');
  // The list of chatbots stands above all screens: it is none of them.
  const isHere = path === own || (own !== '/console' && path.startsWith(`${own}/`));
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone the column is a row that scrolls.
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [isHere]);
  if (right && !may(href.split('/')[3]!, right)) return null;
  return (
    <li class={right && !memberships.value ? 'later' : undefined}>
      <a ref={link} href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        {children}
      </a>
    </li>
  );
}
