import * as Type from 'typebox';
import { requireMatch, withEtag } from '../../http/precondition.ts';
import { invalid } from '../../schema/errors.ts';
import { view } from '../../schema/ids.ts';
import type { StoredChatbot } from '../../store/store.ts';
import {
  REPLY_WORDS,
  WORD_NAMES,
  WIDGET_DEFAULTS,
  WidgetChange,
  WidgetSeenOn,
  WidgetSettings,
} from '../../schema/widget-settings.ts';
import { SiteLook } from '../../schema/sources/site.ts';
import { operation, ownedChatbot, type Operation, type ApiDeps } from '../requests/operation.ts';
import { readAddress } from './sources/sources.ts';

/** The settings of a chatbot's widget: beyond the interface, and so beside the chatbot's record, not in it. */
export const widget = ({ store, sites }: ApiDeps): Operation[] => [
  operation({
    id: 'getWidget',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/widget',
    summary: 'Fetch the settings of a chatbot’s widget',
    reply: WidgetSettings,
    hasEtag: true,
    handle: async ({ user, uuid, ctx }) => withEtag(ctx, settingsOf(await ownedChatbot(store, user, uuid))),
  }),
  operation({
    id: 'updateWidget',
    right: 'edit',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/widget',
    summary: 'Update the settings of a chatbot’s widget',
    description: '`words` and the lists are replaced whole.',
    body: WidgetChange,
    reply: WidgetSettings,
    hasEtag: true,
    takesIfMatch: true,
    async handle({ user, uuid, body, ctx }) {
      const change = normalize(body);
      const before = await ownedChatbot(store, user, uuid);
      const changed = await store.updateChatbot(uuid, (chatbot) => {
        requireMatch(ctx, settingsOf(chatbot));
        return { ...chatbot, widget: { ...chatbot.widget, ...change } };
      });
      return withEtag(ctx, settingsOf(changed ?? before));
    },
  }),
  operation({
    id: 'getSiteLook',
    right: 'edit',
    audit: 'none',
    method: 'POST',
    path: '/api/v1/chatbot/:uuid/widget/look',
    summary: 'Read from a site’s page how it names itself and looks',
    description:
      'Changes nothing: name, colour and icon are for you to take over. The page and its icon are fetched as those of a crawl are: not from private networks, and as robots.txt allows. What the page does not declare is empty, and so is all where it cannot be fetched.',
    body: Type.Object({ url: Type.String({ minLength: 1, maxLength: 2048 }) }),
    reply: SiteLook,
    async handle({ user, uuid, body }) {
      await ownedChatbot(store, user, uuid);
      return sites.look(readAddress(body.url));
    },
  }),
  operation({
    id: 'getWidgetSeenOn',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/widget/seen-on',
    summary: 'List the sites that a chatbot’s widget was first loaded from',
    description:
      'By the `Origin` of GET /chat/{chatbot}, which programs can send too: it shows that a snippet works, and proves nothing.',
    reply: WidgetSeenOn,
    handle: async ({ user, uuid }) => ({ seen_on: [...((await ownedChatbot(store, user, uuid)).seen_on ?? [])] }),
  }),
];

const settingsOf = ({ widget: kept }: StoredChatbot): WidgetSettings =>
  view(WidgetSettings, { ...WIDGET_DEFAULTS, ...kept });

/** Each value in the one form in which it is kept; throws a `Refusal` that names the first field at fault. */
function normalize(sent: WidgetChange): WidgetChange {
  const settings = { ...sent };
  if (settings.color) settings.color = settings.color.toLowerCase();
  if (settings.icon?.includes(':')) settings.icon = readSettingUrl('icon', settings.icon);
  if (settings.avatar) settings.avatar = readSettingUrl('avatar', settings.avatar);
  if (settings.privacy_url) settings.privacy_url = readSettingUrl('privacy_url', settings.privacy_url);
  if (settings.contact?.includes('/')) settings.contact = readSettingUrl('contact', settings.contact);
  if (settings.image_hosts) settings.image_hosts = unique(settings.image_hosts, readHost('image_hosts'));
  if (settings.link_hosts) settings.link_hosts = unique(settings.link_hosts, readHost('link_hosts'));
  if (settings.allowed_origins) settings.allowed_origins = unique(settings.allowed_origins, readOrigin);
  if (settings.words) {
    const known = new Set([...WORD_NAMES, ...REPLY_WORDS]);
    settings.words = Object.fromEntries(Object.entries(settings.words).filter(([name]) => known.has(name)));
  }
  return settings;
}

const unique = (written: string[], read: (one: string) => string): string[] => [...new Set(written.map(read))];

/** Narrower than what an address may hold: some of these stand in a page's policy, where `;` would begin a new rule. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/;

function readSettingUrl(field: string, written: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || url.username || url.password || !HOST.test(url.hostname)) {
    throw invalid(field, `${field} must be a whole address with a host and no user name or password`);
  }
  if (url.href.length > 2048) throw invalid(field, `${field} must be an address of at most 2048 characters`);
  return url.href;
}

const readHost =
  (field: string) =>
  (written: string): string => {
    const [, below = '', name = ''] = /^(\*\.)?([^\s/:@?#\\*[\]]+)$/.exec(written) ?? [];
    const { hostname } = URL.canParse(`https://${name}`) ? new URL(`https://${name}`) : { hostname: '' };
    if (!HOST.test(hostname) || hostname.length > 250) {
      throw invalid(field, `${field} must be host names alone, such as cdn.example.com or *.example.com`);
    }
    return below + hostname;
  };

/** As browsers write it, so that one comparison of strings is enough: lower case, no default port, no slash. */
function readOrigin(written: string): string {
  if (written === 'null') return written;
  const [, scheme = '', below = '', host = ''] = /^(https?:\/\/)(\*\.)?([^\s/@?#\\*]+)\/?$/i.exec(written) ?? [];
  const url = URL.canParse(scheme + host) ? new URL(scheme + host) : undefined;
  if (!url || !HOST.test(url.hostname) || url.host.length > 280) {
    const forms = 'https://shop.example, https://*.shop.example or null';
    throw invalid('allowed_origins', `allowed_origins must be origins without a path, such as ${forms}`);
  }
  return `${url.protocol}//${below}${url.host}`;
}
