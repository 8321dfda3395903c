import { invalid } from '../../schema/errors.ts';
import { view } from '../../schema/ids.ts';
import type { StoredChatbot } from '../../store/store.ts';
import { WORD_NAMES, WIDGET_DEFAULTS, WidgetChange, WidgetSettings } from '../../schema/widget-settings.ts';
import { operation, ownedChatbot, type Operation, type Rooms } from '../requests/operation.ts';

/** The settings of a chatbot's widget: beyond the interface, and so beside the chatbot's record, not in it. */
export const widget = ({ store }: Rooms): Operation[] => [
  operation({
    id: 'getWidget',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/widget',
    summary: 'Fetch the settings of a chatbot’s widget',
    reply: WidgetSettings,
    handle: async ({ user, uuid }) => settingsOf(await ownedChatbot(store, user, uuid)),
  }),
  operation({
    id: 'updateWidget',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/widget',
    summary: 'Update the settings of a chatbot’s widget',
    description: '`words` and the lists are replaced whole.',
    body: WidgetChange,
    reply: WidgetSettings,
    async handle({ user, uuid, body }) {
      const change = normal(body);
      const before = await ownedChatbot(store, user, uuid);
      const changed = await store.updateChatbot(uuid, (chatbot) => ({
        ...chatbot,
        widget: { ...chatbot.widget, ...change },
      }));
      return settingsOf(changed ?? before);
    },
  }),
];

const settingsOf = ({ widget: kept }: StoredChatbot): WidgetSettings =>
  view(WidgetSettings, { ...WIDGET_DEFAULTS, ...kept });

/** Each value in the one form in which it is kept; throws a `Refusal` that names the first field at fault. */
function normal(sent: WidgetChange): WidgetChange {
  const kept = { ...sent };
  if (kept.color) kept.color = kept.color.toLowerCase();
  if (kept.icon?.includes(':')) kept.icon = address('icon', kept.icon);
  if (kept.avatar) kept.avatar = address('avatar', kept.avatar);
  if (kept.privacy_url) kept.privacy_url = address('privacy_url', kept.privacy_url);
  if (kept.image_hosts) kept.image_hosts = each(kept.image_hosts, imageHost);
  if (kept.allowed_origins) kept.allowed_origins = each(kept.allowed_origins, origin);
  if (kept.words) {
    kept.words = Object.fromEntries(Object.entries(kept.words).filter(([name]) => WORD_NAMES.includes(name)));
  }
  return kept;
}

const each = (written: string[], read: (one: string) => string): string[] => [...new Set(written.map(read))];

/** Narrower than what an address may hold: some of these stand in a page's policy, where `;` would begin a new rule. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/;

function address(field: string, written: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || url.username || url.password || !HOST.test(url.hostname)) {
    throw invalid(field, `${field} must be a whole address with a host and no user name or password`);
  }
  if (url.href.length > 2048) throw invalid(field, `${field} must be an address of at most 2048 characters`);
  return url.href;
}

function imageHost(written: string): string {
  const [, below = '', name = ''] = /^(\*\.)?([^\s/:@?#\\*[\]]+)$/.exec(written) ?? [];
  const { hostname } = URL.canParse(`https://${name}`) ? new URL(`https://${name}`) : { hostname: '' };
  if (!HOST.test(hostname) || hostname.length > 250) {
    throw invalid('image_hosts', 'image_hosts must be host names alone, such as cdn.example.com or *.example.com');
  }
  return below + hostname;
}

/** As browsers write it, so that one comparison of strings is enough: lower case, no default port, no slash. */
function origin(written: string): string {
  if (written === 'null') return written;
  const [, scheme = '', below = '', host = ''] = /^(https?:\/\/)(\*\.)?([^\s/@?#\\*]+)\/?$/i.exec(written) ?? [];
  const url = URL.canParse(scheme + host) ? new URL(scheme + host) : undefined;
  if (!url || !HOST.test(url.hostname) || url.host.length > 280) {
    const forms = 'https://shop.example, https://*.shop.example or null';
    throw invalid('allowed_origins', `allowed_origins must be origins without a path, such as ${forms}`);
  }
  return `${url.protocol}//${below}${url.host}`;
}
