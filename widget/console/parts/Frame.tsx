import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { account, me } from '../account/account.ts';
import { chatbots, loadChatbots } from '../chatbots.ts';
import { may, memberships } from '../account/membership.ts';
import { PLACES } from '../routes.ts';
import { Icon, type IconName } from './Icon.tsx';

interface FrameProps {
  /** The chatbot that the screen belongs to; none for the list and the settings. */
  chatbot?: string;
  title: string;
  children: ComponentChildren;
}

/** What the screen shows, in place of its title; '' for nothing in particular. */
const subject = signal('');

/** Names what the screen shows; '' until it is known. */
export function useSubject(name: string): void {
  useEffect(() => {
    subject.value = name;
    return () => void (subject.value = '');
  }, [name]);
}

/** The column of navigation beside a screen. A new screen's heading takes the focus, as a page's start would. */
export function Frame({ chatbot, title, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = chatbots.value?.find(({ uuid }) => uuid === chatbot)?.name;
  const shown = subject.value || title;
  useEffect(() => {
    document.title = [shown, name, 'Docent'].filter(Boolean).join(' · ');
  }, [shown, name, account.value]);
  useEffect(() => {
    // Where that fails its name is missing, and all is shown: the server refuses what the role does not allow.
    if (chatbot && account.value && !chatbots.value) void loadChatbots().catch(() => (memberships.value ??= []));
  }, [chatbot, account.value]);
  // Not once the subject is known, or renamed: somebody may be writing.
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
                  {PLACES.map(
                    (place) =>
                      'icon' in place &&
                      may(chatbot, place.right) && (
                        <Item
                          key={place.path}
                          href={`/console/chatbot/${chatbot}/${place.path.replace(/\/:.*/, '')}`}
                          icon={place.icon}
                          isLater={!memberships.value}
                        >
                          {place.title}
                        </Item>
                      ),
                  )}
                </ul>
              </li>
            )}
            <Item href="/console/settings" icon="settings">
              Settings
            </Item>
          </ul>
        </nav>
        <p class="who">{me().user?.name}</p>
      </header>
      <main id="screen" tabIndex={-1}>
        <h1 ref={heading} tabIndex={-1}>
          {shown}
        </h1>
        {children}
      </main>
    </div>
  );
}

interface ItemProps {
  href: string;
  icon: IconName;
  /** Whether its place is kept empty. */
  isLater?: boolean;
  children: string;
}

function Item({ href, icon, isLater = false, children }: ItemProps) {
  const { path } = useLocation();
  const own = href.replace(/\/$/, '');
  // The list of chatbots stands above all screens: it is none of them.
  const isHere = path === own || (own !== '/console' && path.startsWith(`${own}/`));
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone the column is a row that scrolls.
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [isHere]);
  return (
    <li class={isLater ? 'later' : undefined}>
      <a ref={link} href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        {children}
      </a>
    </li>
  );
}
