/** Text of the launcher for an answer that was not seen yet, in a file of its own: it is loaded once a chat was open. */
export const presenceWords = {
  unread: 'New answer',
};
