import type { SharedAnswers } from '../../shared/answers.ts';
import type { PostgresContext } from '../context.ts';
import { saveMessage } from '../message-rows.ts';

export function sharedAnswers(context: PostgresContext): SharedAnswers {
  return {
    begin: (message, session) => saveMessage(context, message, session, { isNew: true }),
  };
}
