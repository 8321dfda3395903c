const escapes: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

const attribute = ([name, value]: [string, string]): string =>
  value ? `${name}="${value.replace(/[&"<>]/g, (character) => escapes[character]!)}"` : name;

/** The script tag to paste. `settings` by the names of their attributes without `data-`: `{ 'teaser-after': '9', open: '' }`. */
export function snippet(server: string, chatbot: string, settings: Record<string, string>): string {
  const attributes = Object.entries(settings).map(([name, value]) => attribute([`data-${name}`, value]));
  const all = ['async', attribute(['src', `${server}/embed.js`]), attribute(['data-chatbot', chatbot]), ...attributes];
  return attributes.length === 0 ? `<script ${all.join(' ')}></script>` : `<script\n  ${all.join('\n  ')}\n></script>`;
}

/** The request that stores settings which no page has. Hosts hold no quote that would end the shell's. */
export function storeRequest(server: string, chatbot: string, settings: { link_hosts: string[] }): string {
  return [
    `curl ${server}/api/v1/chatbot/${encodeURIComponent(chatbot)}/widget`,
    `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(settings)}'`,
  ].join(' \\\n  ');
}
