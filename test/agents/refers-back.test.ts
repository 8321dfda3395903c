import { describe, expect, test } from 'vitest';
import { refersBack } from '../../server/agents/routing/refers-back.ts';
import { isFollowUp } from '../../server/knowledge/search/asking/follow-up.ts';
import sentences from './outside/refers-back.json';

// Written before the code that they judge. The rules before it had 58 right for an agent, and 45 for a search.
describe('what refers to the message before it, told from polite forms, empty pronouns and times in ten languages', () => {
  test('goes on with the agent that answered', () => {
    expect(sentences).toHaveLength(89);
    expect(sentences.filter(({ refers }) => refers)).toHaveLength(43);
    expect(sentences.filter(({ message, refers }) => refersBack(message) !== refers)).toEqual([]);
  });

  test('is searched for with the question before it', () => {
    expect(
      sentences.filter(({ message, refers }) => isFollowUp(message, 2, { isKnown: true, names: true }) !== refers),
    ).toEqual([]);
  });
});
