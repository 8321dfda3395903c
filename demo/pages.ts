import css from './site.css?raw';

/** The demo site as the server serves it and as its chatbot learns it. */

const htmlFiles = import.meta.glob<string>('./*.html', { query: '?raw', import: 'default', eager: true });

/** `'returns.html'` → its HTML, in which `{{chatbot}}` stands for the demo chatbot's uuid. */
export const pages: Record<string, string> = Object.fromEntries(
  Object.entries(htmlFiles).map(([path, html]) => [path.slice('./'.length), html]),
);

/** What the pages load from beside them: name → text and type. */
export const assets: Record<string, { body: string; type: string }> = {
  'site.css': { body: css, type: 'text/css; charset=utf-8' },
};

export interface DemoSite {
  /** The chatbot's name. */
  name: string;
  /** Asked once by the first start, and shown in the log and the README. */
  sampleQuestion: string;
  /** E-mail address for those whom the chatbot could not answer. */
  contact: string;
  /** Questions that the open panel offers. */
  suggestions: string[];
  /** Pages the chatbot learns through the scraper. */
  learn: string[];
}

export const demoSite: DemoSite = {
  name: 'Tolliver & Wren',
  sampleQuestion: 'How long do I have to return something?',
  contact: 'hello@tolliverandwren.example',
  suggestions: [
    'How long do I have to return something?',
    'How much does delivery to Europe cost?',
    'What does the warranty cover?',
  ],
  learn: [
    'index.html',
    'shipping.html',
    'returns.html',
    'warranty.html',
    'payments.html',
    'contact.html',
    'about.html',
  ],
};
