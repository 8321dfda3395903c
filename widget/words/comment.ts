/** Texts of the field after a thumb down, in a file of their own: they are loaded with it. */
export const commentWords = {
  comment: 'Tell us more (optional)',
  cancel: 'Cancel',
};
