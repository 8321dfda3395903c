/**
 * What visitors say in one language, by sort: phrases with commas between, alternatives in parentheses. `human` asks
 * whether a person answers; `ready` is a yes, a no or a call for help, to which one asks back. With these may stand
 * `filler`, and beside all kinds but `ready` an `address`.
 */
export type Known = Record<
  Exclude<Sort, 'model' | 'languages' | 'trial' | 'complaint' | 'praise' | 'presence' | 'name'>,
  string
>;
/** `model` asks whether it is one of a name; `trial` only tries whether there is a reply, `presence` asks for it. */
export type Sort = (typeof KINDS)[number] | 'model' | 'filler' | 'address';
/** The more telling first: of two in one message the first one is answered. */
export const KINDS = [
  'robot',
  'human',
  'who',
  'languages',
  'abilities',
  'complaint',
  'goodbye',
  'thanks',
  'praise',
  'name',
  'presence',
  'greeting',
  'trial',
  'ready',
] as const;
/** `either`: whether a person answers or a robot. */
export type TalkKind = (typeof KINDS)[number] | 'either';
