/** The sentences of what comes after a first answer. */
export const later = {
  openSource: 'Read it on {host}',
  closeSource: 'Close source',
  again: 'Answer again',
  copyAnswer: 'Copy with sources',
  uncopied: 'Your browser does not allow copying.',
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  comment: 'Tell us more, if you like',
  sendComment: 'Send feedback',
  thanks: 'Thank you for your feedback.',
  unsent: 'Your feedback could not be sent. Try again.',
};
