/**
 * What stands below an answer: loaded with the first that ends. It does without Preact, so that it needs no other file. Each
 * function fills an empty place of a turn, and keeps it in step with the turn.
 */
export { showActions } from './actions.ts';
export { showConfirmation } from './confirmation.ts';
