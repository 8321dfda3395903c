import { jsonIn } from '../../schema/json.ts';
import { readParts } from '../../schema/parts.ts';
import { isObject } from '../../schema/validate.ts';
import type { Part } from '../../types.ts';
import type { AllowedAddresses } from './hosts.ts';

/** The parts that a tool function's reply holds, a JSON object with `parts`; without links to other hosts. */
export function partsOfReply(text: string, hosts: AllowedAddresses): Part[] {
  const reply = text.includes('"parts"') ? jsonIn(text) : undefined;
  return readParts(isObject(reply) ? reply['parts'] : undefined).flatMap((part) => {
    if (part.type !== 'link_cards') return part;
    const cards = part.cards.filter(({ url }) => isAllowed(new URL(url), hosts));
    return cards.length > 0 ? { ...part, cards } : [];
  });
}

/** As in the text of an answer: a user name can hide the host, and mail goes to all that an address names. */
function isAllowed({ protocol, host, username, password, pathname, search }: URL, hosts: AllowedAddresses): boolean {
  if (protocol !== 'mailto:') return hosts.has(host) && !username && !password;
  const [, domain] = /^[^@,%\s]+@([\w.-]+)$/.exec(pathname) ?? [];
  return domain !== undefined && hosts.hasMail(domain) && !/[?&](?:to|cc|bcc)=/i.test(search);
}
