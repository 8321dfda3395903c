/** What the environment said, checked; `boot.ts` makes it. Defaults stand in the README's table. */
export interface Config {
  host: string;
  /** 0 lets the system choose, in tests. */
  port: number;
  dataDir: string;
  /** 16 to 256 printable characters. */
  apiKey: string | undefined;
  /** Without a slash at the end. */
  publicUrl: string | undefined;
  trustProxyHops: number;
  demo: boolean;
  /** `host:port` entries that pass beside the address guard. */
  fetchAllow: string[];
  llm: { baseUrl: string; model: string; apiKey: string | undefined } | undefined;
  upstream: { url: string; apiKey: string } | undefined;
}
