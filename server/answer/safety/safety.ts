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
  answered: Answered,
  answer: { append(text: string): void },
): T {
  const prompt = createPromptFilter(answered.agent?.prompt ?? '');
  const filters = [...(prompt ? [prompt] : []), createAddressFilter(allowedIn(answered))];
  return guarded(last, filters, (text) => answer.append(text));
}

/** The reply of a tool function that is shown as it is, without addresses of other hosts. */
export function withoutForeignAddresses(text: string, answered: Answered): string {
  const filter = createAddressFilter(allowedIn(answered));
  return filter.pass(text) + filter.rest();
}

/** The hosts that the answer’s links may lead to. */
export function allowedIn({ chatbot, found, hosts }: Pick<Answered, 'chatbot' | 'found' | 'hosts'>): AllowedHosts {
  const { image_hosts = [], link_hosts = [] } = chatbot.widget ?? {};
  const addresses = found.map(({ source }) => source.file_name);
  return new AllowedHosts(addresses, hosts.of(chatbot.uuid), [...image_hosts, ...link_hosts]);
}
