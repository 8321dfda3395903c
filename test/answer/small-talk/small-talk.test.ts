import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { speakersByWord, TALK_LANGUAGES } from '../../../server/answer/small-talk/lexicon.ts';
import { replyTo } from '../../../server/answer/small-talk/reply.ts';
import { LANGUAGES_SPOKEN } from '../../../server/answer/small-talk/said/languages.ts';
import { LANGUAGES, type LanguageCode } from '../../../server/knowledge/text/languages.ts';
import { parseEvents, textOf } from '../../proxy/fixture.ts';
import { site, start, until, type Running } from '../../running.ts';
import { NO_SMALL_TALK, SMALL_TALK } from './sentences.ts';

/** Small talk over HTTP. The site has a contact page; nobody takes wishes for a person until an agent is enabled for it. */

const PAGES = {
  '/': '<title>Lamps</title><main><h1>Lamps</h1><p>You may return a lamp within 30 days. <a href="/reach">Reach us</a></p></main>',
  '/reach':
    '<title>Contact</title><main><h1>Contact</h1><p>Call us on weekdays: +44 20 7946 0018, or write to post@lamps.example.</p></main>',
  '/tack':
    '<title>Tack</title><main><h1>Tack for horses</h1><p>Our tack is made of leather: saddles and bridles.</p></main>',
};

let running: Running;
let chatbot: string;
let pages: Awaited<ReturnType<typeof site>>;

async function shop(docent: Running, more: object = {}): Promise<string> {
  const { uuid } = (await docent.api('POST', '/chatbot/create', { name: 'Lamp_Shop', visibility: 'public', ...more }))
    .body;
  for (const path of Object.keys(PAGES)) {
    await docent.api('POST', `/chatbot/${uuid}/data-source/url`, { url: pages.base + path });
  }
  const pair = { question: 'Do you ship to Norway?', answer: 'Yes, we ship to Norway.' };
  await docent.api('POST', `/chatbot/${uuid}/data-source/qa`, pair);
  await learnt(uuid, docent);
  return uuid;
}

async function learnt(bot: string, docent = running): Promise<void> {
  const sources = () => docent.api('GET', `/chatbot/${bot}/data-sources`).then(({ body }) => body);
  await until(sources, (all: { status: string }[]) => all.every(({ status }) => status === 'success'));
}

beforeAll(async () => {
  pages = await site(PAGES);
  running = await start({ FETCH_ALLOW: pages.host });
  chatbot = await shop(running);
});
afterAll(async () => {
  await running.stop();
  await pages.close();
});

interface Asked {
  bot?: string;
  session?: string;
  docent?: Running;
}

const newSession = async (bot: string, docent = running): Promise<string> =>
  (await docent.api('POST', `/chatbot/${bot}/session/create`, {})).body.uuid;

async function ask(query: string, { bot = chatbot, session, docent = running }: Asked = {}) {
  const uuid = session ?? (await newSession(bot, docent));
  const { body } = await docent.api('POST', `/session/${uuid}/message/non-stream`, { query });
  const message = (await docent.api('GET', `/session/${uuid}/messages`)).body.at(-1);
  const { routing, outcome, active_agent, credits } = JSON.parse(message.meta_json);
  return {
    response: body.response as string,
    citations: message.cite_data_json,
    routing,
    outcome,
    agent: active_agent.name,
    credits,
  };
}

/** As a visitor whose browser asks for this language. */
async function askAsVisitor(query: string, language: string): Promise<string> {
  const reply = await fetch(`${running.base}/chat/${chatbot}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': language },
    body: JSON.stringify({ query }),
  });
  return textOf(parseEvents(await reply.text()));
}

describe.each(Object.entries(SMALL_TALK))('small talk in %s', (language, { person, ...kinds }) => {
  const speaker = { language: language as LanguageCode, name: 'Lamp_Shop', words: {}, canPass: false };

  it.each(Object.entries(kinds))('answers %s in the same language, without a source', async (kind, messages) => {
    for (const message of messages) {
      const answer = await ask(message);
      expect([message, answer.response]).toEqual([message, replyTo(kind as keyof typeof kinds, speaker)]);
      expect(answer).toMatchObject({ outcome: 'answered', citations: '{}', routing: { detected: 'small_talk' } });
    }
  });

  it('tells who asks for a person how to reach someone', async () => {
    for (const message of person) {
      const answer = await ask(message);
      expect([message, answer.response]).toEqual([
        message,
        expect.stringContaining(`\n\n- [Contact](${pages.base}/reach)`),
      ]);
      expect(answer).toMatchObject({ outcome: 'answered', citations: '{}' });
    }
  });
});

test('a site that says which languages are spoken answers that itself', async () => {
  const bot = (await running.api('POST', '/chatbot/create', { name: 'Hotel' })).body.uuid;
  const pair = { question: 'Which languages do you speak?', answer: 'Our staff speak English and German.' };
  await running.api('POST', `/chatbot/${bot}/data-source/qa`, pair);
  await learnt(bot);
  expect((await ask('Do you speak German?', { bot })).response).toContain('Our staff speak English and German.');
});

describe('the replies', () => {
  it.each([
    ['hello Lamp_Shop', 'Hello! What would you like to know?'],
    ['Who are you?', 'I am Lamp\\_Shop, the automated assistant of this site.'],
    ['are you a robot?', 'Yes. I am an automated assistant, not a person.'],
    ['are you human?', 'No. I am an automated assistant, not a person.'],
    ['are you a human or a bot?', 'I am an automated assistant, not a person.'],
    ['Are you ChatGPT?', 'I am an automated assistant, not a person.'],
    ['bist du Gemini?', 'Ich bin ein automatischer Assistent und kein Mensch.'],
    ['who built you', 'I am Lamp\\_Shop, the automated assistant of this site.'],
    ['Qui vous a créé ?', 'Je suis Lamp\\_Shop, l’assistant automatique de ce site.'],
    ['ta', 'You are welcome!'],
    ['nevermind', 'Just ask me what you would like to know about this site.'],
    ['vergiss es', 'Fragen Sie mich einfach, was Sie über diese Website wissen möchten.'],
    ['??', 'Just ask me what you would like to know about this site.'],
    ['testing', 'Just ask me what you would like to know about this site.'],
    ['Can you speak Dutch?', LANGUAGES_SPOKEN.en],
    ['Verstehen Sie Englisch?', LANGUAGES_SPOKEN.de],
    ['Vous parlez anglais ?', LANGUAGES_SPOKEN.fr],
    ['¿Entiende inglés?', LANGUAGES_SPOKEN.es],
    ['Parla italiano?', LANGUAGES_SPOKEN.it],
    ['Você fala português?', LANGUAGES_SPOKEN.pt],
    ['Spreekt u Nederlands?', LANGUAGES_SPOKEN.nl],
    ['Pratar ni svenska?', LANGUAGES_SPOKEN.sv],
    ['Czy mówi pan po polsku?', LANGUAGES_SPOKEN.pl],
    ['Вы говорите по-английски?', LANGUAGES_SPOKEN.ru],
    ['Türkçe biliyor musunuz?', LANGUAGES_SPOKEN.tr],
    ['日本語は話せますか？', LANGUAGES_SPOKEN.ja],
    ['你会说中文吗？', LANGUAGES_SPOKEN.zh],
    ['Wer bist du?', 'Ich bin Lamp\\_Shop, der automatische Assistent dieser Website.'],
    ['¿Eres una persona?', 'No. Soy un asistente automático, no una persona.'],
    ['qui êtes-vous ?', 'Je suis Lamp\\_Shop, l’assistant automatique de ce site.'],
    ['你是机器人吗？', '是的。我是自动助手，不是真人。'],
  ])('to “%s” is “%s”', async (message, reply) => {
    expect((await ask(message)).response).toBe(reply);
  });

  it.each([
    ['Servus', 'Hallo! Was möchten Sie wissen?'],
    ['Hej', 'Hej! Vad vill du veta?'],
    ['Hallo', 'Hallo! Was möchten Sie wissen?'],
    ['Thank you', 'You are welcome!'],
    ['Merci', 'Avec plaisir !'],
  ])('to “%s” are in its language, whatever the site’s', async (message, reply) => {
    expect((await ask(message)).response).toBe(reply);
  });

  it('are in the site’s language where the words may be of it', async () => {
    const { uuid } = (await running.api('POST', '/chatbot/create', { name: 'Lampen' })).body;
    const answer = 'U kunt een lamp binnen dertig dagen aan ons terugsturen, en wij betalen de kosten van de post.';
    const pair = { question: 'Hoe kan ik een lamp terugsturen?', answer };
    await running.api('POST', `/chatbot/${uuid}/data-source/qa`, pair);
    await learnt(uuid);
    expect((await ask('Hallo', { bot: uuid })).response).toBe('Hallo! Wat wilt u weten?');
    expect((await ask('Hej', { bot: uuid })).response).toBe('Hallo! Wat wilt u weten?');
    expect((await ask('Hola', { bot: uuid })).response).toContain('¡Hola!');
  });

  it('stand in all languages, for phrases that are all well formed', () => {
    const languages = Object.keys(LANGUAGES) as LanguageCode[];
    expect(TALK_LANGUAGES.toSorted()).toEqual(languages.toSorted());
    expect([...speakersByWord().keys()].filter((word) => /[^\p{L}\p{M}\p{N}ー]/u.test(word))).toEqual([]);
    for (const language of languages) {
      const speaker = { language, name: 'Nova', words: {}, canPass: true };
      expect(replyTo('who', speaker)).toContain('Nova');
      expect(
        new Set(
          ['greeting', 'thanks', 'goodbye', 'robot', 'human', 'abilities'].map((kind) =>
            replyTo(kind as 'robot', speaker),
          ),
        ).size,
      ).toBe(6);
    }
  });

  it('to what every language writes are in the one that the browser asks for', async () => {
    expect(await askAsVisitor('hi', 'de-CH,en;q=0.5')).toBe('Hallo! Was möchten Sie wissen?');
    expect(await askAsVisitor('👋', 'fr')).toBe('Bonjour ! Que souhaitez-vous savoir ?');
    expect(await askAsVisitor('ok', 'ja')).toBe('このサイトについて知りたいことを、どうぞお聞きください。');
    expect(await askAsVisitor('merci', 'en')).toBe('Avec plaisir !');
  });

  it('are in the language of the conversation', async () => {
    const session = await newSession(chatbot);
    await ask('Wie lange darf ich eine Lampe zurückgeben?', { session });
    expect((await ask('ok', { session })).response).toContain('Fragen Sie mich');
  });

  it.each(['yes', 'no', 'ok', ':-)', '👍🏽', 'help'])('to “%s” ask back', async (message) => {
    expect((await ask(message)).response).toBe('Just ask me what you would like to know about this site.');
  });
});

describe('a question', () => {
  it.each(NO_SMALL_TALK)('is none of small talk: %s', async (message) => {
    const { routing } = await ask(message);
    expect(routing.detected).toBeUndefined();
  });

  it('within a greeting is answered', async () => {
    expect(await ask('hi, do you ship to Norway?')).toMatchObject({
      response: 'Yes, we ship to Norway.',
      outcome: 'answered',
    });
  });

  it('may be a word for thanks in another language', async () => {
    expect((await ask('tack')).response).toContain('leather');
    expect(await askAsVisitor('tack', 'sv')).toBe('Varsågod!');
  });

  it('that its owner answers is answered so', async () => {
    const bot = (await running.api('POST', '/chatbot/create', { name: 'Own' })).body.uuid;
    await running.api('POST', `/chatbot/${bot}/data-source/qa`, { question: 'Who are you?', answer: 'Three sisters.' });
    await learnt(bot);
    expect((await ask('Who are you?', { bot })).response).toContain('Three sisters.');
  });
});

describe('the sentences', () => {
  it('are the owner’s to change, and are not sent to pages', async () => {
    const bot = await shop(running);
    const words = { reply_greeting: 'Ahoy from {name}!', reply_robot: 'Beep.', open: 'Talk' };
    const { body } = await running.api('POST', `/chatbot/${bot}/widget`, { words });
    expect(body.words).toEqual(words);
    expect((await ask('hi', { bot })).response).toBe('Ahoy from Lamp\\_Shop!');
    expect((await ask('are you human?', { bot })).response).toBe('Beep.');
    const profile = await (await fetch(`${running.base}/chat/${bot}`)).json();
    expect(profile.words).toEqual({ open: 'Talk' });
    const bad = await running.api('POST', `/chatbot/${bot}/widget`, { words: { reply_greeting: 'x'.repeat(501) } });
    expect(bad).toMatchObject({ status: 422, body: { field: 'words' } });
  });
});
