/** Texts below an answer, in a file of their own: they are loaded with what stands there. */
export const afterAnswerWords = {
  copyAnswer: 'Copy with sources',
  uncopied: 'Copying failed.',
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  thanks: 'Thank you.',
  unsent: 'Sending failed.',
};
