const { Window } = await import(process.env.HAPPY_DOM);
const window = new Window({ url: 'https://host.example/' });
for (const name of [
  'document',
  'Document',
  'HTMLElement',
  'Element',
  'Node',
  'customElements',
  'CSSStyleSheet',
  'location',
]) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
}
for (const name of ['addEventListener', 'removeEventListener']) globalThis[name] = window[name].bind(window);
globalThis.window = window;

const faces = await import('docent');
console.log(Object.keys(faces).join());
const { mount } = faces;
const before = document.documentElement.outerHTML;
const widget = mount({ chatbot: '0123456789abcdef0123456789abcdef', server: 'https://chat.example' });
console.log(document.documentElement.outerHTML === before ? 'nothing happened' : 'mounted');
widget.destroy();
console.log(document.documentElement.outerHTML === before ? 'gone' : 'left behind');
const { createDocument } = await import('docent/markdown');
const streamed = createDocument();
for (const char of '# Hi') streamed.write(char);
streamed.end();
console.log(streamed.root.children[0].kind);
process.exit(0);
