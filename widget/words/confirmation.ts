/** Texts of a call to confirm, in a file of their own since few answers have one. */
export const confirmationWords = {
  yes: 'Yes',
  no: 'No',
  expired: 'This was not confirmed in time, and was not done.',
};
