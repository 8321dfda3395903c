import { afterEach, describe, expect, it } from 'vitest';
import { startFakeModel } from '../../fakes/model.ts';
import { site, start, until, type Running } from '../../running.ts';

/** A wish for a person at sites that name their contact page in a language of their own, or have none. */

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function shop(pages: Record<string, string>, env: object = {}): Promise<{ docent: Running; chatbot: string }> {
  const served = await site(pages);
  const docent = await start({ FETCH_ALLOW: served.host, ...env });
  closing.push(served.close, docent.stop);
  const chatbot = (await docent.api('POST', '/chatbot/create', { name: 'Shop' })).body.uuid;
  for (const path of Object.keys(pages)) {
    await docent.api('POST', `/chatbot/${chatbot}/data-source/url`, { url: served.base + path });
  }
  await until(
    () => docent.api('GET', `/chatbot/${chatbot}/data-sources`).then(({ body }) => body),
    (all: { status: string }[]) => all.every(({ status }) => status === 'success'),
  );
  return { docent, chatbot };
}

async function ask({ docent, chatbot }: Awaited<ReturnType<typeof shop>>, query: string): Promise<string> {
  const { uuid } = (await docent.api('POST', `/chatbot/${chatbot}/session/create`, {})).body;
  return (await docent.api('POST', `/session/${uuid}/message/non-stream`, { query })).body.response;
}

it('finds the contact page of a site in a third language', async () => {
  const docent = await shop({
    '/': '<html lang="fi"><title>Lamput</title><main><h1>Lamput</h1><p>Palautusaika on kolmekymmentä päivää.</p></main>',
    '/yhteys':
      '<html lang="fi"><title>Yhteystiedot</title><main><h1>Yhteystiedot</h1><p>Puhelin +358 9 123 4567.</p></main>',
  });
  expect(await ask(docent, '人間と話したいです')).toContain('/yhteys)');
});

it('asks for few embeddings where a site has no contact page', async () => {
  const model = await startFakeModel();
  closing.push(model.close);
  const docent = await shop(
    { '/': '<title>Lamps</title><main><h1>Lamps</h1><p>You may return a lamp within 30 days.</p></main>' },
    { EMBED_BASE_URL: model.baseUrl, EMBED_MODEL: 'fake-embed' },
  );
  const before = model.embedRequests.length;
  await ask(docent, 'Can I talk to a human, please?');
  expect(model.embedRequests.length - before).toBeLessThanOrEqual(4);
});

const LAMPS = '<title>Lamps</title><main><h1>Lamps</h1><p>You may return a lamp within 30 days.</p></main>';
const REACH =
  '<title>Contact</title><main><h1>Contact</h1><p>Write to help@lamps.example or call 020 7946 0018.</p></main>';
const COMPLAINT = 'My parrot was treated rudely by your violinist!';

describe('an “I don’t know” without an agent that takes a wish for a person', () => {
  it('ends with where the site says how to reach someone, without more requests for embeddings', async () => {
    const model = await startFakeModel();
    closing.push(model.close);
    const own = await shop({ '/': LAMPS, '/reach': REACH }, { EMBED_BASE_URL: model.baseUrl, EMBED_MODEL: 'e' });
    const before = model.embedRequests.length;
    const answer = await ask(own, COMPLAINT);
    expect(answer).toMatch(
      /^I don’t know.*\n\nThis is where to find out how to reach someone:\n\n- \[Contact\]\(\S+\/reach\)$/s,
    );
    // The question, and the sentences that may answer it.
    expect(model.embedRequests.length - before).toBeLessThanOrEqual(2);
  });

  it('says so in the language of the visitor', async () => {
    const own = await shop({ '/': LAMPS, '/reach': REACH });
    const answer = await ask(own, 'Warum war der Geiger gestern so unfreundlich zu meinem Papagei?');
    expect(answer).toContain('\n\nHier erfahren Sie, wie Sie jemanden erreichen:\n\n- [Contact]');
  });

  it('is followed by it where a model says that it does not know', async () => {
    const unknown = 'I don’t know: I have found no answer to that in what I have read.';
    const model = await startFakeModel({ script: { pieces: [unknown] } });
    closing.push(model.close);
    const own = await shop({ '/': LAMPS, '/reach': REACH }, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'fake-1' });
    expect(await ask(own, COMPLAINT)).toMatch(
      /^I don’t know[^\n]*\n\nThis is where .*someone:\n\n- \[Contact\]\(\S+\/reach\)$/s,
    );
  });

  it('says nothing of it where no page is about that, though one has an e-mail address', async () => {
    const own = await shop({ '/': LAMPS.replace('30 days', '30 days. Our lamp is called a@lamps.example') });
    expect(await ask(own, COMPLAINT)).not.toContain('reach someone');
  });

  it('offers a person instead where an agent takes the wish', async () => {
    const own = await shop({ '/': LAMPS, '/reach': REACH });
    const path = `/chatbot/${own.chatbot}/agent/create`;
    const { uuid } = (await own.docent.api('POST', path, { name: 'A person', type: 'human-escalation' })).body;
    await own.docent.api('POST', `/agent/${uuid}/update`, { enabled: true });
    const answer = await ask(own, COMPLAINT);
    expect(answer).toContain('If you would like to talk to a person, tell me: I will note it.');
    expect(answer).not.toContain('reach someone');
  });
});
