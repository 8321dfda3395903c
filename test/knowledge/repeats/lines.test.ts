import { afterEach, describe, expect, it } from 'vitest';
import { openKnowledge, pages } from '../knowledge-fixture.ts';

let fixture: Awaited<ReturnType<typeof openKnowledge>> | undefined;
afterEach(() => fixture?.close());

const NOTICE = 'Wir verwenden kleine Dateien, um den Besuch der Seiten zu zählen.';
const HOURS = 'The workshop is open from Tuesday to Friday, nine to five.';
const TOPICS = ['bows', 'strings', 'rosin', 'cases', 'bridges', 'varnish', 'pegs', 'mutes'];

/** A page whose layout no element and no class name tells apart from its content. */
const page = (topic: string, { hours = HOURS } = {}) => `<title>${topic} – Wren</title><div><div>All articles</div>
  <div>Basket is empty</div></div><div><h1>All about ${topic}</h1><p>Our ${topic} are made by hand in Cork. Each lot of ${topic}
  is tested for a week before it is sold.</p><p>${NOTICE}</p><h3>Hours</h3><p>${hours}</p></div>`;

const siteOf = (topics: string[]): Record<string, string> => ({
  '/': page('instruments'),
  ...Object.fromEntries(topics.map((topic) => [`/articles/${topic}`, page(topic)])),
});

async function learn(bodies: Record<string, string>): Promise<void> {
  fixture = await openKnowledge(pages(bodies));
  for (const path of Object.keys(bodies)) expect((await fixture.ingest(path)).status, path).toBe('success');
}

const texts = async (question: string) => (await fixture!.search(question)).map(({ text }) => text);
const addresses = async (question: string) =>
  (await fixture!.search(question)).map(({ source }) => new URL(source.file_name).pathname);

describe('what most pages of a site have', () => {
  it('is no part of what their passages tell, in any language', async () => {
    await learn(siteOf(TOPICS));
    const [first] = await texts('How are the strings tested?');
    expect(first).toContain('strings are made by hand');
    for (const text of await texts('How are the strings tested?')) {
      expect(text).not.toContain('Basket');
      expect(text).not.toContain(NOTICE);
    }
  });

  it('is told once, from the page with the shortest address', async () => {
    await learn(siteOf(TOPICS));
    expect(await texts('When is the workshop open?')).toContain(HOURS);
    expect((await texts('When is the workshop open?')).filter((text) => text.includes(HOURS))).toHaveLength(1);
    expect((await addresses('When is the workshop open?'))[0]).toBe('/');
  });

  it('is told still when that page is gone, and when one page says something else', async () => {
    const bodies = siteOf(TOPICS);
    await learn(bodies);
    const home = (await fixture!.search('When is the workshop open?'))[0]!.source;
    await fixture!.store.deleteSource(home.uuid);
    fixture!.knowledge.removeSource(fixture!.chatbot, home.uuid);
    expect(await texts('When is the workshop open?')).toContain(HOURS);

    const changed = (await fixture!.search('How are the pegs tested?'))[0]!.source;
    bodies['/articles/pegs'] = page('pegs', { hours: 'The workshop is closed in the week of the fair.' });
    await fixture!.knowledge.reingest(changed.uuid);
    await fixture!.ended(changed.uuid);
    const told = await texts('When is the workshop open, when closed?');
    expect(told).toContain('The workshop is closed in the week of the fair.');
    expect(told).toContain(HOURS);
  });

  it('stays on each page of a site of three pages', async () => {
    await learn(siteOf(['bows', 'strings']));
    const told = await texts('When is the workshop open?');
    expect(told.filter((text) => text.includes(HOURS))).toHaveLength(3);
  });

  it('does not hide what half of the pages have', async () => {
    const bodies = siteOf(TOPICS);
    for (const topic of TOPICS.slice(0, 5))
      bodies[`/articles/${topic}`] = page(topic, { hours: `Ask for ${topic} by telephone.` });
    await learn(bodies);
    const told = await texts('When is the workshop open?');
    expect(told.filter((text) => text.includes(HOURS))).toHaveLength(4);
  });
});

/** A page below the name of its site, which no element tells apart from its content. */
const below = (
  name: string,
  trail: string,
  asks: string,
) => `<title>${name} – Wren</title><h2>Wren</h2><div>${trail}</div>
  <h3>${name}</h3><p>Our ${name} are made of ${name.length} parts by hand.</p><p>${HOURS}</p><div>${asks}</div>`;
const NAMES = ['Bows', 'Strings', 'Cases'];

describe('a line of navigation on most pages', () => {
  it.each([
    [
      'You are here: <a href="/">Wren</a> → <a href="/all">Goods</a>',
      'Did this help? <a href="#">Yes</a> <a href="#">No</a>',
    ],
    [
      '<a href="/">Start</a> / Waren',
      'War diese Seite hilfreich?<ul><li><a href="#">Ja</a><li><a href="#">Nein</a></ul>',
    ],
    ['Vous êtes ici : <a href="/">Wren</a> » <a href="/all">Articles</a>', 'Cette page vous a-t-elle été utile ?'],
  ])('is told by none, on three pages too: %s', async (trail, asks) => {
    await learn(Object.fromEntries(NAMES.map((name) => [`/${name}`, below(name, trail, asks)])));
    const words = `${trail} ${asks} bows strings cases workshop`.replace(/<[^>]*>/g, ' ');
    const told = (await texts(words)).join('\n');
    expect(told).toContain(HOURS);
    expect(told).toContain('Our Bows are made');
    expect(told).not.toMatch(/Wren|Goods|Start|Waren|Articles|help|Yes|No\b|hilfreich|Ja|Nein|utile/);
  });

  it('is told where it answers: a question with its answer below, a way through a menu', async () => {
    const asks = '<p>Do you send abroad?</p><p>Yes, to all of Europe.</p><p>Questions? Call 046 555 019</p>';
    const pagesOf = NAMES.map((name) => [`/${name}`, below(name, `Settings > Our ${name}`, asks)]);
    await learn({ ...Object.fromEntries(pagesOf.slice(0, 2)), '/cases': below('Cases', 'Menu > Our Cases', asks) });
    const told = (await texts('Where in settings are bows? Do you send abroad? Call')).join('\n');
    for (const line of ['Settings > Our Bows', 'Do you send abroad?', 'Questions? Call 046 555 019'])
      expect(told).toContain(line);
  });
});

it('leaves out a trail of pages that ends with the name of its page', async () => {
  const page = (name: string) =>
    `<title>${name} – Wren</title><div>You are here: <a href="/">Wren</a> › ${name}</div><h1>${name}</h1><p>Made in Cork of ash and horn.</p>`;
  await learn({ '/bows': page('Bows'), '/menu': '<h1>Menus</h1><p>The tempo is set in Settings › Menus</p>' });
  const told = (await texts('You are here: Bows; settings, menus')).join('\n');
  expect(told).toContain('Settings › Menus');
  expect(told).not.toContain('You are here');
});
