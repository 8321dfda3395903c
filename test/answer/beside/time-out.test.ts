import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newAgent } from '../../../server/agents/agents.ts';
import { createBackground } from '../../../server/answer/background/background.ts';
import type { BackgroundWork } from '../../../server/answer/background/work.ts';
import type { Generated, Model } from '../../../server/model/model.ts';
import { aSession } from '../../store/records.ts';

/** Background tasks of a model that never returns, by a clock of the test. */

const CHATBOT = { uuid: 'c'.repeat(32), owner: 'o'.repeat(32) };
const TAGS = [{ name: 'Returns', color: '#336699', criteria: 'returning an item' }];
const NOTHING: Generated = {
  finish: 'stop',
  totalTokens: 0,
  promptTokens: 0,
  completionTokens: 0,
  toolCalls: [],
};

/** Calls that a model is asked for, and how many of them were given up. */
let calls: { asked: number; stopped: number };
/** Says nothing until a call is stopped; `answers`: says that no tag holds, at once. */
function fakeModel(answers = (): boolean => false): Model {
  return {
    generate(_request, onText) {
      calls.asked += 1;
      let end!: (generated: Generated) => void;
      const done = new Promise<Generated>((resolve) => (end = resolve));
      if (answers()) {
        onText('{"tags": []}');
        end(NOTHING);
      }
      return {
        done,
        stop() {
          calls.stopped += 1;
          end(NOTHING);
        },
      };
    },
    close: async () => {},
  };
}

beforeEach(() => {
  calls = { asked: 0, stopped: 0 };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

const tagger = {
  ...newAgent(CHATBOT.uuid, { name: 'Tagger', type: 'background', settings: { tags: TAGS } }, Date.now),
  enabled: 1 as const,
};

const backgroundOf = (model: Model) =>
  createBackground({ model, paused: () => undefined, log: pino({ level: 'silent' }), countTokens: () => {} });

function begin(background: ReturnType<typeof backgroundOf>): BackgroundWork {
  const session = aSession(CHATBOT.uuid);
  const asked = { query: 'May I return it?', chatbot: CHATBOT };
  return background(asked, { agents: [tagger], question: { session }, agent: undefined, turns: [] })!;
}

/** What is due in other turns of the event loop has run. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

it('gives a task up after 60 seconds, and not before', async () => {
  const work = begin(backgroundOf(fakeModel()));
  await turns();
  vi.advanceTimersByTime(59_999);
  await turns();
  expect([work.pending, work.findings, calls]).toEqual([1, [], { asked: 1, stopped: 0 }]);
  vi.advanceTimersByTime(1);
  await turns();
  expect([work.pending, calls]).toEqual([0, { asked: 1, stopped: 1 }]);
  expect(work.findings).toEqual([{ agent: tagger.uuid, by: 'model', labels: [], variables: {}, reason: 'time_out' }]);
});

it('counts the 60 seconds of each message by themselves', async () => {
  const background = backgroundOf(fakeModel());
  const first = begin(background);
  await turns();
  vi.advanceTimersByTime(40_000);
  const second = begin(background);
  await turns();
  vi.advanceTimersByTime(20_000);
  await turns();
  expect([first.pending, second.pending, calls]).toEqual([0, 1, { asked: 2, stopped: 1 }]);
  vi.advanceTimersByTime(40_000);
  await turns();
  expect([second.pending, second.findings[0]?.reason]).toEqual([0, 'time_out']);
});

it('ends what waits for its turn too, and leaves the turns of all to later messages', async () => {
  let answers = false;
  const background = backgroundOf(fakeModel(() => answers));
  const works = Array.from({ length: 70 }, () => begin(background));
  await turns(200);
  expect(calls.asked).toBe(64);
  vi.advanceTimersByTime(60_000);
  await turns(200);
  expect(works.map(({ pending }) => pending)).toEqual(works.map(() => 0));
  expect(works.every(({ findings }) => findings[0]?.reason === 'time_out')).toBe(true);
  // Nobody waits for what those six would have said.
  expect(calls).toEqual({ asked: 64, stopped: 64 });
  answers = true;
  const later = begin(background);
  await turns();
  expect(later.findings).toEqual([{ agent: tagger.uuid, by: 'model', labels: [], variables: {} }]);
});
