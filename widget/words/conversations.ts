/** Texts of the list of conversations, in a file of their own: they are loaded with it. */
export const conversationsWords = {
  back: 'Back to the chat',
  download: 'Download as text',
  remove: 'Delete',
  removeAll: 'Delete all',
  sure: 'Delete for good?',
  cancel: 'Cancel',
  unremoved: 'Deleting failed.',
};
