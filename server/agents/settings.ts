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
import { checkParts } from '../schema/parts.ts';
import { validate, validateList, validateWithin, isObject } from '../schema/validate.ts';

/** The settings of agents: which a type has, their defaults, and how requests send them. */

const SETTINGS_DEFAULTS: AgentSettings = {
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

/** The defaults of the settings that the type has. */
export const defaultSettings = (type: AgentType): Meta => view(AgentMeta[type], SETTINGS_DEFAULTS);

type Meta = Pick<AgentSettings, 'model' | 'temperature'> & Partial<AgentSettings>;
export type SentSettings = Partial<AgentSettings>;

const { name, color, criteria } = AgentTag.properties;
/** `criteria` is '' where it is not sent. */
export const SentTag = Type.Object({ name, color, criteria: Type.Optional(criteria) });

/** Tags and parts are checked one by one, so that an error names the invalid one. */
const schemaOf = (type: AgentType): Type.TObject => {
  const properties: Type.TProperties = AgentMeta[type].properties;
  const checked = ['tags', 'parts'].filter((name) => name in properties).map((name) => [name, Type.Unknown()]);
  return Type.Partial(Type.Object({ ...properties, ...Object.fromEntries(checked) }));
};

const SCHEMAS: Record<AgentType, Type.TObject> = {
  'user-facing': schemaOf('user-facing'),
  background: schemaOf('background'),
  'human-escalation': schemaOf('human-escalation'),
  'pre-canned': schemaOf('pre-canned'),
  'spam-defense': schemaOf('spam-defense'),
};

/**
 * Reads the settings that the type has from a request body: from the top level, or else from `meta`. Settings of other
 * types are ignored. Throws a `Refusal` that names the first invalid one.
 */
export function readSettings(type: AgentType, body: object): SentSettings {
  const top = validate(SCHEMAS[type], body);
  const within = Object.hasOwn(body, 'meta') ? (body as { meta: unknown }).meta : undefined;
  const meta = validateWithin('meta', SCHEMAS[type], within ?? {});
  return { ...withLists(meta, 'meta.'), ...withLists(top, '') };
}

function withLists({ tags, parts, ...settings }: Record<string, unknown>, within: '' | 'meta.'): SentSettings {
  return {
    ...settings,
    ...(tags === undefined ? {} : { tags: readTags(tags, `${within}tags`) }),
    ...(parts === undefined ? {} : { parts: checkParts(`${within}parts`, parts) }),
  };
}

/** A single tag counts as a list of one. */
function readTags(value: unknown, field: string): AgentSettings['tags'] {
  const tags = validateList(field, SentTag, isObject(value) ? [value] : value);
  return tags.map(({ name, color, criteria = '' }) => ({ name, color, criteria }));
}
