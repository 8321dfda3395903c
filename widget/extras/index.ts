/** What a first answer does without; in a file of its own where that is worth a request. */
export { greet } from './greet.tsx';
export { compare, restore, settle } from './history.ts';
