/** What the chatbot says of itself in one language, in whole sentences. */
export interface Said {
  greeting: string;
  thanks: string;
  goodbye: string;
  /** `{name}` stands for the chatbot's name. */
  who: string;
  /** Before `robot`, where that is what was asked. */
  yes: string;
  /** Before `robot`, where a person was supposed. */
  no: string;
  robot: string;
  abilities: string;
  ready: string;
  /** Before links to pages that say how to reach someone. */
  contact: string;
  noContact: string;
  /** Where a human-escalation agent is enabled. */
  person: string;
  /** For agents whose owner wrote no message: human-escalation, spam-defense, pre-canned. */
  requested: string;
  spam: string;
  canned: string;
}

export const said = (
  greeting: string,
  thanks: string,
  goodbye: string,
  who: string,
  [yes, no]: [string, string],
  robot: string,
  abilities: string,
  ready: string,
  contact: string,
  noContact: string,
  person: string,
  requested: string,
  spam: string,
  canned: string,
): Said => ({
  greeting,
  thanks,
  goodbye,
  who,
  yes,
  no,
  robot,
  abilities,
  ready,
  contact,
  noContact,
  person,
  requested,
  spam,
  canned,
});
