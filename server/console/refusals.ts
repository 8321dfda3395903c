import { Refusal } from '../schema/errors.ts';

/** Why somebody is not signed in or let in, and what to do instead. */

export const deadInvitation = (): Refusal =>
  new Refusal(
    'unauthorized',
    'this invitation has been used or revoked, has expired or is not whole: ask whoever sent it for another',
  );
export const otherWayFirst = (email: string): Refusal =>
  new Refusal(
    'unauthorized',
    `${email} has a user here already: sign in as that user, by a key or a link of "docent login ${email}", then open the invitation again`,
  );
export const wrongKey = (): Refusal =>
  new Refusal('unauthorized', 'this API key is not valid: paste a whole key, such as "docent key add" prints');
export const wrongPasskey = (): Refusal =>
  new Refusal(
    'unauthorized',
    'this passkey was not accepted: it was removed here or belongs to another server, it has waited for longer than 5 minutes, or its counter went back, as that of a copy does; try again, or sign in by a link or a key',
  );
export const deadLink = (): Refusal =>
  new Refusal(
    'unauthorized',
    'this link has been used, has expired or is not whole: make another with "docent login" on the server, or sign in with an API key',
  );
export const signedOut = (): Refusal =>
  new Refusal(
    'unauthorized',
    'you are not signed in: open a link that "docent login" prints, or sign in with an API key',
  );
export const otherUser = (own: string, ofLink: string): Refusal =>
  new Refusal('conflict', `you are signed in as ${own}, and this link is for ${ofLink}`);
