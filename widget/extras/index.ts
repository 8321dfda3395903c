/** What a first answer does without; in a file of its own where that is worth a request. */
export { compare, restore, settle } from './history.ts';
