import { isDeepStrictEqual } from 'node:util';
import type { TObject } from 'typebox';
import type { Warning } from '../../agents/warnings.ts';
import { nearestWord } from '../../schema/nearest-word.ts';
import { AgentMeta, AgentSettings, type Agent } from '../../schema/records.ts';
import { isObject, listUnknownFields } from '../../schema/validate.ts';

/**
 * What of a body that creates or updates an agent is ignored: fields that there are not, those that no request changes, and
 * settings of other types. What stands so in `agent`, as it is shown before, may be sent back.
 */
export function ignoredFields(schema: TObject, agent: Agent, body: unknown): Warning[] {
  const sent = isObject(body) ? body : {};
  const meta = isObject(sent['meta']) ? sent['meta'] : {};
  const known = [...Object.keys(schema.properties), ...SETTINGS.map((name) => `meta.${name}`)];
  const unknown = listUnknownFields(schema, body)
    .filter((name) => !isDeepStrictEqual(sent[name], agent[name as keyof Agent] ?? NaN))
    .map((name): Warning => {
      const meant = nearestWord(name, known);
      return [name, Object.hasOwn(agent, name) ? FIXED : meant ? `is ignored; is ${meant} meant?` : UNKNOWN];
    });
  const others = [...othersIn(sent, '', agent), ...othersIn(meta, 'meta.', agent)];
  return [...unknown, ...others];
}

const SETTINGS = Object.keys(AgentSettings.properties);
const UNKNOWN = 'is ignored: there is no such field';
const FIXED = 'is ignored: this request does not change it';

function othersIn(sent: Record<string, unknown>, place: string, { type }: Agent): Warning[] {
  const own = [...Object.keys(AgentMeta[type].properties), ...(type === 'human-escalation' ? [ESCALATION] : [])];
  return [...SETTINGS, ...(place === '' ? [ESCALATION] : [])]
    .filter((name) => Object.hasOwn(sent, name) && sent[name] !== null && !own.includes(name))
    .map((name): Warning => [place + name, `is ignored: ${type} agents have none`]);
}

const ESCALATION = 'human_escalation_settings';
