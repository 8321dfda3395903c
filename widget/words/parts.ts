/** Texts of what stands beside an answer, in a file of their own: they are loaded with it. */
export const partsWords = {
  /** Above pages below a failed answer. */
  nearest: 'These pages may help',
};
