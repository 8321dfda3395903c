import type { Found } from '../../knowledge/search/found.ts';
import type { StoredAgent, StoredChatbot } from '../../store/store.ts';
import { createAddressFilter } from './address-filter.ts';
import { guarded, type TextFilter } from './guard.ts';
import { AllowedHosts, type SourceHosts } from './hosts.ts';
import { createPromptFilter } from './prompt-filter.ts';

interface Answered {
  chatbot: StoredChatbot;
  agent: StoredAgent | undefined;
  found: Found[];
  hosts: SourceHosts;
}

/** `last` behind the filters that what a model writes has to pass: the agent's prompt, and addresses of other hosts. */
export function withSafety<T extends TextFilter>(
  last: T,
  { chatbot, agent, found, hosts }: Answered,
  answer: { append(text: string): void },
): T {
  const { image_hosts = [], link_hosts = [] } = chatbot.widget ?? {};
  const addresses = found.map(({ source }) => source.file_name);
  const allowed = new AllowedHosts(addresses, hosts.of(chatbot.uuid), [...image_hosts, ...link_hosts]);
  const prompt = createPromptFilter(agent?.prompt ?? '');
  const filters = [...(prompt ? [prompt] : []), createAddressFilter(allowed)];
  return guarded(last, filters, (text) => answer.append(text));
}
