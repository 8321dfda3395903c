/** Texts of a call that the visitor is asked to confirm, in a file of their own: they are loaded with the first such call. */
export const confirmationWords = {
  yes: 'Yes',
  no: 'No',
  decline: 'Don’t do it',
  asked: '{name}?',
  unconfirmed: 'Nothing is done until you confirm.',
  expired: 'This was not confirmed in time, and was not done.',
};
