import { ChatWidget, defineElement, mount } from 'docent';
import type { Citation, Handle } from 'docent';
import { createDocument, drawDocument, type Surroundings } from 'docent/markdown';

const server = 'https://chat.example';
const chatbot = '0123456789abcdef0123456789abcdef';

const widget: Handle = mount({ server, chatbot });
widget.open();
widget.ask('Where is my order?');
const quiet: () => void = widget.on('citation', ({ citation }: { citation: Citation }) => void citation.title);
quiet();
widget.destroy();

export const page = <ChatWidget server={server} chatbot={chatbot} inline onReady={(handle) => handle.open()} />;

mount({ server, chatbot, settings: { color: '#0f766e', position: 'start', suggestions: ['Where is it?'] } }).destroy();
mount({ server, chatbot, context: { page: '/cart', user: 'a member' } }).destroy();
void defineElement();
document.querySelector('docent-chat')?.ask('Where is my order?');

const around: Surroundings = {
  marker: (key) => key,
  words: { code: 'Code', table: 'Table', copy: 'Copy', copied: 'Copied' },
};
const streamed = createDocument();
streamed.write('**bold');
export const drawn = drawDocument(streamed.root, around);
// @ts-expect-error: text is written, nothing else
streamed.write(7);

// @ts-expect-error: no such setting
mount({ server, chatbot, settings: { colour: 'red' } });
// @ts-expect-error: no such side
mount({ server, chatbot, settings: { position: 'top' } });
// @ts-expect-error: a context has a page and a user
mount({ server, chatbot, context: { password: '' } });
// @ts-expect-error: a question is a text
document.querySelector('docent-chat')?.ask(7);
// @ts-expect-error: a widget without its chatbot
mount({ server });
// @ts-expect-error: a number is no identifier
mount({ server, chatbot: 7 });
// @ts-expect-error: no such event
widget.on('sneeze', () => {});
