/** Text of the teaser's cross, in a file of its own: it is loaded with the teaser. */
export const teaserWords = {
  closeTeaser: 'Close this message',
};
