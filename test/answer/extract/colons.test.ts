import { expect, it } from 'vitest';
import { siteOf } from '../site.ts';

const SITE = await siteOf({
  'moss.html': `<title>Moss</title><main><h1>Moss</h1><p>Moss grows back on the roof for three reasons:</p><p>The north side never
    dries. The tiles are rough, and the oak above them drops its leaves on them every autumn, so that they rot in the gutter and
    feed whatever has settled there, from the smallest seed to a young birch that nobody has asked for and that must be pulled out
    by hand each spring. The gutter is flat, and the ladder that would reach it is too short by two rungs, which the council has known since June.</p></main>`,
  'faq.html': `<title>Ferry questions</title><main><p>How do I board the ferry with a horse?</p><p>Horses board last. Proceed as
    follows:</p><ul><li>Lead the horse down the ramp.</li><li>Tie it to the rail.</li></ul><p>What does the crew bring?</p>
    <p>The crew brings these:</p><ul><li>A halter.</li><li>A bucket.</li></ul></main>`,
  'bees.html': `<title>Bees</title><main><h1>Bees</h1><h2>Swarms</h2><p>When a swarm hangs in your pear tree, proceed as
    follows:</p><h3>First</h3><p>Close the windows.</p></main>`,
});

it.each([
  ['Why does moss grow back on the roof?', /three reasons: The north side never dries/],
  ['What does the crew bring?', /The crew brings these:\s+- A halter\.\s+- A bucket\./],
  ['What do I do when a swarm hangs in my pear tree?', /pear tree, proceed as follows …/],
  ['How do I board the ferry with a horse?', /Horses board last/],
])('no quote ends with a colon: %s', async (question, answer) => {
  const { text } = await SITE.answer(question);
  expect(text).toMatch(answer);
  expect(text).not.toMatch(/:\s*(?:\[|$)/);
});
