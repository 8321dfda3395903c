/** What the console reads of agents, as `records.ts`. */

export type AgentType = 'user-facing' | 'pre-canned' | 'human-escalation' | 'spam-defense' | 'background';

export interface Agent {
  uuid: string;
  name: string;
  type: AgentType;
  enabled: 0 | 1;
  description: string;
  prompt: string;
  /** As the type has them. */
  meta: { bias?: number; stickness?: number; default_message?: string; use_all_sources?: boolean };
  data_source_uuids: string[];
  variables: Variable[];
  tool_functions: ToolFunction[];
  human_escalation_settings?: { human_requested_message: string };
  modified_at: string;
}

export interface Variable {
  name: string;
  description: string;
  example: string;
  type: string;
  default_value: { content: string; static: number };
}

export interface ToolFunction {
  uuid: string;
  name: string;
  description: string;
  enabled: 0 | 1;
  method: string;
  external_url: string;
  /** Of each value the end alone, behind `****`. */
  headers: Record<string, string>;
  /** A JSON Schema of the arguments. */
  parameters: { type?: string; properties?: Record<string, Record<string, unknown>>; required?: string[] };
  meta: { class?: string; step?: string; examples?: string[] };
  modified_at?: string;
}

export interface AgentRouting {
  /** Questions that the agent answers. */
  examples: string[];
  rules: object[];
}
