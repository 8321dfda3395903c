import { afterEach, describe, expect, it } from 'vitest';
import { openKnowledge, pages } from '../knowledge-fixture.ts';
import { siteOf } from '../../answer/site.ts';

let fixture: Awaited<ReturnType<typeof openKnowledge>> | undefined;
afterEach(() => fixture?.close());

const TOPICS = ['bows', 'strings', 'rosin', 'cases', 'bridges', 'varnish'];
const MENU = '<nav><a href="/">Home</a> <a href="/contact">Contact form</a></nav>';
const LINKS = '<ul><li><a href="/privacy">Privacy notice</a></li><li><a href="/jobs">Work with us</a></li></ul>';

const ENGLISH = 'Our {} are made by hand in Cork. Each lot of {} is tested for a week before it is sold.';
const GERMAN = 'Wir fertigen {} in der eigenen Werkstatt. Vor dem Verkauf werden sie eine Woche lang geprüft.';
const FRENCH = 'Nous fabriquons nos {} à la main dans notre atelier. Ils sont essayés avant d’être vendus.';

const page = (topic: string, { header = '', footer = '', text = ENGLISH }): string => `<title>${topic} – Wren</title>
  <header>${MENU}${header}</header><main><h1>${topic}</h1><p>${text.replaceAll('{}', topic)}</p></main>${footer}`;

const PHONE = '<footer><p>Wren Strings, 14 Eyre Lane, Cork T12 W8KP</p><p>Phone 021 496 0123</p>';
const FOOTER = `${PHONE}<h4>Opening hours</h4><p>Tuesday to Friday 9:30–17:00</p><h4>Company</h4>${LINKS}
  <p>© 2026 Wren Strings Ltd</p><p>Bows for everyone!</p></footer>`;

const bodiesOf = (layout: object): Record<string, string> => ({
  '/': page('Instruments', layout),
  ...Object.fromEntries(TOPICS.map((topic) => [`/articles/${topic}`, page(topic, layout)])),
});

const answersOf = async (layout: object, question: string): Promise<string> =>
  (await (await siteOf(bodiesOf(layout))).answer(question)).text;

describe('what stands in the header or the footer of all pages alone', () => {
  it.each([
    ['What is your phone number?', { footer: FOOTER }, '021 496 0123'],
    ['Where can I find Wren Strings?', { footer: FOOTER }, '14 Eyre Lane, Cork T12 W8KP'],
    ['What are your opening hours?', { footer: FOOTER }, 'Tuesday to Friday 9:30–17:00'],
    ['what number can I call?', { header: '<p>Call us: +353 21 496 0123</p>' }, '+353 21 496 0123'],
    [
      'What is your email address?',
      {
        footer:
          '<div class="site-footer"><p>E-mail: <a href="mailto:hello@wren.example">hello@wren.example</a></p></div>',
      },
      'hello@wren.example',
    ],
    [
      'Wie ist Ihre Adresse?',
      {
        footer: '<footer><address>Adresse:<br>Wren GmbH<br>Lange Gasse 4<br>50667 Köln</address></footer>',
        text: GERMAN,
      },
      '50667 Köln',
    ],
    [
      'Was sind Ihre Öffnungszeiten?',
      { footer: '<footer><p>Öffnungszeiten: Mo–Fr 9–18 Uhr</p></footer>', text: GERMAN },
      '9–18 Uhr',
    ],
    [
      'Quel est votre téléphone ?',
      { footer: '<div role="contentinfo"><p>Téléphone : 01 44 55 66 77</p></div>', text: FRENCH },
      '01 44 55 66 77',
    ],
  ])('is quoted where it tells how to reach them: %s', async (question, layout, fact) => {
    expect(await answersOf(layout, question)).toContain(fact);
  });

  it.each(['How are the strings tested?', 'Are there bows for everyone?', 'Do you have a job for me?'])(
    'is no part of what else is asked: %s',
    async (question) => {
      const text = await answersOf({ footer: FOOTER }, question);
      for (const other of ['021 496', 'Eyre Lane', '9:30', 'everyone!', 'Work with us', '©'])
        expect(text).not.toContain(other);
    },
  );

  const learn = async (bodies: Record<string, string>): Promise<void> => {
    fixture = await openKnowledge(pages(bodies));
    for (const path of Object.keys(bodies)) expect((await fixture.ingest(path)).status, path).toBe('success');
  };
  const sources = () => fixture!.store.sources(fixture!.chatbot);
  const telling = async (): Promise<string[]> =>
    (await fixture!.search('What is your phone number?'))
      .filter(({ text }) => text.includes('021 496'))
      .map(({ source }) => new URL(source.file_name).pathname);

  it('is told once, by the page with the shortest address, and by the next where that one is gone', async () => {
    const all = bodiesOf({ footer: FOOTER });
    const { '/': home, ...others } = all;
    const bodies = { ...others, '/': home! };
    await learn(bodies);
    expect(await telling()).toEqual(['/']);
    const remove = async (path: string): Promise<void> => {
      const source = (await sources()).find(({ file_name }) => new URL(file_name).pathname === path)!;
      await fixture!.store.deleteSource(source.uuid);
      fixture!.knowledge.removeSource(fixture!.chatbot, source.uuid);
    };
    await remove('/');
    expect(await telling()).toEqual(['/articles/bows']);
    for (const topic of TOPICS) await remove(`/articles/${topic}`);
    expect(await telling()).toEqual([]);
  });

  it('is told anew where the pages change', async () => {
    const bodies = bodiesOf({ footer: FOOTER });
    await learn(bodies);
    for (const source of await sources()) {
      const { pathname } = new URL(source.file_name);
      bodies[pathname] = bodies[pathname]!.replace('021 496 0123', '021 496 9999');
      await fixture!.knowledge.reingest(source.uuid);
      await fixture!.ended(source.uuid);
    }
    const texts = (await fixture!.search('What is your phone number?')).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('021 496 9999'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('021 496 0123'))).toHaveLength(0);
  });
});
