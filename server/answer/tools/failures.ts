import { OutboundFailure } from '../../outbound/failures.ts';

/** How a model fails that goes on with calls and writes no answer. */

export const tookTooLong = (): OutboundFailure =>
  new OutboundFailure('timeout', 'model_timeout', 'the model did not answer in time; please try again', {
    cause: new Error('the answer with its calls of functions: it was not whole after ANSWER_TIMEOUT'),
  });

export const wroteNothing = (): OutboundFailure =>
  new OutboundFailure('bad_reply', 'model_failed', 'the model could not answer; please try again', {
    cause: new Error('the model called functions until the last round, and wrote nothing'),
  });

/** What a model is told of a call that is not made. */
export const NOT_CALLED = {
  unknown: 'there is no such function',
  anotherWaits: 'not called: the visitor is asked to confirm another call first',
  cannotConfirm: 'not called: the visitor has to confirm this call, which is not possible here; say so',
  unfit: 'not called: the values of variables do not fit its parameters',
  onlyReads: 'not called: an explanation of the answer calls nothing that acts',
  declined: 'not called: the visitor declined',
  repeatsPrompt: 'not called: the arguments repeat your instructions, which are told to nobody',
  gone: 'not called: the function was changed or removed meanwhile',
};
