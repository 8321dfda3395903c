import * as Type from 'typebox';
import { DEFAULT_MODEL } from '../model/catalogue.ts';
import { view } from '../schema/ids.ts';
import {
  AgentMeta,
  AgentTag,
  type AgentSettings,
  type AgentType,
  type HumanEscalationSettings,
} from '../schema/records.ts';
import { validate, validateList, validateWithin, isObject } from '../schema/validate.ts';

/** The settings of an agent: which a type has, what they are before anybody sets them, how callers send them. */

const DEFAULTS: AgentSettings = {
  model: DEFAULT_MODEL,
  temperature: 0,
  bias: 0,
  stickness: 0,
  use_all_sources: true,
  default_message: '',
  tags: [],
};

export const ESCALATION_DEFAULTS: HumanEscalationSettings = {
  human_requested_message: '',
  live_chat_start_announcement: '',
  live_chat_end_announcement: '',
  monitored_messages: [],
  notifications_enabled: 1,
  sound_enabled: 1,
};

/** Exactly the settings of the type. */
export const defaultSettings = (type: AgentType): Meta => view(AgentMeta[type], DEFAULTS);

type Meta = Pick<AgentSettings, 'model' | 'temperature'> & Partial<AgentSettings>;
export type SentSettings = Partial<AgentSettings>;

const { name, color, criteria } = AgentTag.properties;
/** `criteria` is '' where it is not sent. */
export const SentTag = Type.Object({ name, color, criteria: Type.Optional(criteria) });

/** The tags are checked one by one, so that a refusal says which is at fault. */
const sent = (type: AgentType): Type.TObject => {
  const properties: Type.TProperties = AgentMeta[type].properties;
  return Type.Partial(Type.Object('tags' in properties ? { ...properties, tags: Type.Unknown() } : properties));
};

const SENT: Record<AgentType, Type.TObject> = {
  'user-facing': sent('user-facing'),
  background: sent('background'),
  'human-escalation': sent('human-escalation'),
  'pre-canned': sent('pre-canned'),
  'spam-defense': sent('spam-defense'),
};

/**
 * The type's own settings among what was sent: at the top level, in `meta`, or in both, where the top level wins.
 * Settings of other types are not looked at. Throws a `Refusal` that names the first at fault.
 */
export function settingsSent(type: AgentType, body: object): SentSettings {
  const top = validate(SENT[type], body);
  const within = Object.hasOwn(body, 'meta') ? (body as { meta: unknown }).meta : undefined;
  const meta = validateWithin('meta', SENT[type], within ?? {});
  return { ...withTags(meta, 'meta.'), ...withTags(top, '') };
}

function withTags(settings: Record<string, unknown>, within: '' | 'meta.'): SentSettings {
  if (settings['tags'] === undefined) return settings;
  return { ...settings, tags: tagsSent(settings['tags'], `${within}tags`) };
}

/** One tag alone counts as a list of one. */
function tagsSent(sent: unknown, field: string): AgentSettings['tags'] {
  const tags = validateList(field, SentTag, isObject(sent) ? [sent] : sent);
  return tags.map(({ name, color, criteria = '' }) => ({ name, color, criteria }));
}
