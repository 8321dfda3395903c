import { ChatWidget, mount } from 'docent';
import type { Citation, Handle } from 'docent';

const server = 'https://chat.example';
const chatbot = '0123456789abcdef0123456789abcdef';

const widget: Handle = mount({ server, chatbot });
widget.open();
widget.ask('Where is my order?');
const quiet: () => void = widget.on('citation', ({ citation }: { citation: Citation }) => void citation.title);
quiet();
widget.destroy();

export const page = <ChatWidget server={server} chatbot={chatbot} inline onReady={(handle) => handle.open()} />;

// @ts-expect-error: a widget without its chatbot
mount({ server });
// @ts-expect-error: a number is no identifier
mount({ server, chatbot: 7 });
// @ts-expect-error: no such event
widget.on('sneeze', () => {});
