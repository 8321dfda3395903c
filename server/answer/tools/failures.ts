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
