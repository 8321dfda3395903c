import * as Type from 'typebox';
import type { Static } from 'typebox';
import { SentTag, readSettings, type SentSettings } from '../../agents/settings.ts';
import { typedValue } from '../../agents/variables.ts';
import { invalid } from '../../schema/errors.ts';
import { literals, LongText, Name } from '../../schema/fields.ts';
import { AgentSettings, AgentType, HumanEscalationSettings } from '../../schema/records.ts';
import type { Agent } from '../../schema/records.ts';
import { AgentRouting } from '../../schema/routing.ts';
import { AgentVariable, VARIABLE_TYPES } from '../../schema/variables.ts';
import { validate, validateList, validateWithin } from '../../schema/validate.ts';
import { asFlag, Switch } from './bodies.ts';

/** Bodies that create and update an agent. Its type decides which settings apply. */

const { tags, ...others } = AgentSettings.properties;
const settings = Type.Partial(Type.Object({ ...others, tags: Type.Union([tags, SentTag]) }));
const allSettings = { ...settings.properties, meta: Type.Optional(settings) };

const texts = { description: Type.Optional(LongText), prompt: Type.Optional(LongText) };
const NewAgentFields = Type.Object({ name: Name, type: AgentType, ...texts });

const AgentChangeFields = Type.Object({
  name: Type.Optional(Name),
  ...texts,
  enabled: Type.Optional(Switch),
  data_source_uuids: Type.Optional(Type.Array(Type.String())),
});

const { content, static: fixed } = AgentVariable.properties.default_value.properties;
const SentVariable = Type.Object({
  ...Type.Partial(AgentVariable).properties,
  name: Name,
  default_value: Type.Optional(Type.Partial(Type.Object({ content, static: fixed }))),
});
const Variable = Type.Object({
  ...SentVariable.properties,
  type: Type.Optional(literals('Default `string`.', ...VARIABLE_TYPES)),
});
const Escalation = Type.Partial(
  Type.Object({ ...HumanEscalationSettings.properties, notifications_enabled: Switch, sound_enabled: Switch }),
);

/** For the OpenAPI document; `readNewAgent` validates. */
export const NewAgent = Type.Object({ ...NewAgentFields.properties, ...allSettings });

/** For the OpenAPI document; `readAgentChange` validates. */
export const AgentChange = Type.Object({
  ...AgentChangeFields.properties,
  variables: Type.Optional(Type.Array(Variable, { maxItems: 100 })),
  human_escalation_settings: Type.Optional(Escalation),
  routing: Type.Optional(Type.Partial(AgentRouting)),
  ...allSettings,
});

/** Throws a `Refusal` that names the field at fault; so does `readAgentChange`. */
export function readNewAgent(body: unknown): Static<typeof NewAgentFields> & { settings: SentSettings } {
  const fields = validate(NewAgentFields, body);
  return { ...fields, settings: readSettings(fields.type, body as object) };
}

/** The fields that an update sets; absent ones keep their value. */
export interface AgentChanges {
  fields: Partial<Pick<Agent, 'name' | 'description' | 'prompt' | 'enabled' | 'variables'>>;
  settings: SentSettings;
  escalation: Partial<NonNullable<Agent['human_escalation_settings']>>;
  /** As sent; not yet checked to belong to the chatbot. */
  sources: string[] | undefined;
}

export function readAgentChange(
  { type, variables: stored }: Pick<Agent, 'type' | 'variables'>,
  body: unknown,
): AgentChanges {
  const { enabled, data_source_uuids: sources, ...fields } = validate(AgentChangeFields, body);
  const { variables, human_escalation_settings: escalation } = withoutNulls(body ?? {});
  return {
    fields: {
      ...fields,
      ...(enabled === undefined ? {} : { enabled: asFlag(enabled) }),
      ...(variables === undefined ? {} : { variables: readVariables(variables, stored) }),
    },
    settings: readSettings(type, body ?? {}),
    escalation: type === 'human-escalation' && escalation !== undefined ? readEscalation(escalation) : {},
    sources,
  };
}

/** A copy with no prototype: a key that was not sent, or sent as `null`, is undefined. */
const withoutNulls = (body: object): Record<string, unknown> =>
  Object.assign(Object.create(null), Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)));

/** What `stored` has already may be written back: earlier versions took types of any name, and any content. */
function readVariables(sent: unknown, stored: Agent['variables']): Agent['variables'] {
  return validateList('variables', SentVariable, sent).map(
    ({ name, description = '', example = '', type = 'string', default_value = {} }, at) => {
      const { content = '', static: fixed = 0 } = default_value;
      const known = stored.filter((one) => one.type === type);
      const isType = (VARIABLE_TYPES as readonly string[]).includes(type);
      if (!isType && known.length === 0) {
        const types = VARIABLE_TYPES.map((one) => `"${one}"`).join(', ');
        throw invalid('variables', `variables[${at}].type must be one of ${types}`);
      }
      const isKnown = known.some((one) => one.name === name && one.default_value.content === content);
      if (content !== '' && !isKnown && typedValue(type, content) === undefined) {
        const form = type === 'number' ? 'a number as text' : '"true", "false"';
        throw invalid('variables', `variables[${at}].default_value.content must be ${form} or empty`);
      }
      return { name, description, example, type, default_value: { content, static: fixed } };
    },
  );
}

function readEscalation(sent: unknown): AgentChanges['escalation'] {
  const { notifications_enabled, sound_enabled, ...texts } = validateWithin(
    'human_escalation_settings',
    Escalation,
    sent,
    'human_escalation_settings',
  );
  return {
    ...texts,
    ...(notifications_enabled === undefined ? {} : { notifications_enabled: asFlag(notifications_enabled) }),
    ...(sound_enabled === undefined ? {} : { sound_enabled: asFlag(sound_enabled) }),
  };
}
