import type { Found } from '../../knowledge/search/found.ts';
import type { Model } from '../../model/model.ts';
import type { StoredAgent, StoredChatbot } from '../../store/store.ts';
import { createAddressFilter } from './address-filter.ts';
import { guarded, type TextFilter } from './guard.ts';
import { AllowedAddresses, type SourceHosts } from './hosts.ts';
import { createPromptFilter } from './prompt-filter.ts';

interface Answered {
  chatbot: StoredChatbot;
  agent: StoredAgent | undefined;
  found: Found[];
  hosts: SourceHosts;
}

/** A filter that takes the addresses that the model is told into account. */
type Safe<T> = T & { listening(model: Model): Model };

/** `last` behind the filters that what a model writes has to pass: the agent's prompt, and addresses that lead elsewhere. */
export function withSafety<T extends TextFilter>(
  last: T,
  answered: Answered,
  answer: { append(text: string): void },
): Safe<T> {
  const prompt = createPromptFilter(answered.agent?.prompt ?? '');
  const allowed = allowedIn(answered);
  const filters = [...(prompt ? [prompt] : []), createAddressFilter(allowed)];
  const filter = guarded(last, filters, (text) => answer.append(text));
  return { ...filter, listening: (model) => listening(model, allowed) };
}

/** `model`, of which the addresses are noted that it is told: by passages, the owner, functions, and answers before. */
const listening = (model: Model, allowed: AllowedAddresses): Model => ({
  close: () => model.close(),
  generate: (request, onText) => {
    for (const { role, content } of request.messages) if (role !== 'user' && content) allowed.tell(content);
    return model.generate(request, onText);
  },
});

/** The reply of a tool function that is shown as it is, without addresses of other hosts. */
export function withoutForeignAddresses(text: string, answered: Answered): string {
  const allowed = allowedIn(answered);
  allowed.tell(text);
  const filter = createAddressFilter(allowed);
  return filter.pass(text) + filter.rest();
}

/** Where the answer’s links and images may lead. */
export function allowedIn({ chatbot, found, hosts }: Pick<Answered, 'chatbot' | 'found' | 'hosts'>): AllowedAddresses {
  const { image_hosts = [], link_hosts = [] } = chatbot.widget ?? {};
  const pages = found.map(({ source }) => source.file_name);
  return new AllowedAddresses({ pages, known: hosts.of(chatbot.uuid), listed: [...image_hosts, ...link_hosts] });
}
