/** Schemes that a link of an answer may have; everything else is shown as text. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;

// Browsers drop these inside a scheme: `java\tscript:` would otherwise read as something harmless.
const DROPPED = /[^!-~\u00a1-\uffff]/g;

/** An address as it may stand in a link; undefined for what may not (scripts, data, relative ones). */
export function safeAddress(written: string): string | undefined {
  const bare = written.replace(DROPPED, (character) => (character === ' ' ? '%20' : ''));
  return SAFE.test(bare) ? bare : undefined;
}

/** True for a web address at one of the hosts: `example.com` is that host alone, `*.example.com` all below it. */
export function isHostIn(address: string, hosts: readonly string[] = []): boolean {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  const isHost = (host: string): boolean =>
    host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
  return /^https?:$/.test(protocol) && hosts.some((host) => isHost(host.toLowerCase()));
}
