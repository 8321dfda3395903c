/** Advice for the site's developer, by error code; logged to the console. */
const ADVICE: Record<string, string> = {
  forbidden_origin: "is not for this page's origin: add it to the widget setting allowed_origins",
  not_found: 'is not there, or private: compare data-chatbot and the server with what the server lists',
};

/** Widgets of which something was logged. */
const advised = new WeakSet<Node>();

/** Logs what to do about an error, where there is something, for the first such one of a widget. */
export function advise(code: string, chatbot: string, host: Node): void {
  const advice = ADVICE[code];
  if (!advice || advised.has(host)) return;
  advised.add(host);
  console.error(`[docent] The chatbot ${chatbot} ${advice} (${location.origin})`);
}
