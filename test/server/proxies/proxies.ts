import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort, until } from '../../browser/built-server.ts';

/** Proxies with the configurations of the guides, and requests through them. */

const NAME = 'chat.example.com';

/** A proxy that runs; `origin` and `path` are where visitors reach the server through it. */
export interface Proxy {
  origin: string;
  path: string;
  /** The name that visitors ask for. */
  host: string;
  ca?: Buffer;
  stop(): Promise<void>;
}

/** Starts a proxy and waits until the server answers through it. */
export async function waitUntilReady(child: ChildProcess, place: Omit<Proxy, 'stop'>): Promise<Proxy> {
  let stderr = '';
  child.stderr?.on('data', (piece) => (stderr += String(piece)));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended at its start:\n${stderr}`);
    return (await send(place, '/healthz').catch(() => undefined))?.status === 200;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { ...place, stop };
}

interface NginxOptions {
  /** For its files. */
  folder: string;
  /** A `server`, with what stands before it, or a `location` of one. */
  block: string;
  /** Where the servers are below the origin. */
  path: string;
  /** The ports of servers by those in the block. */
  servers: Record<string, number>;
}

/** Only the port, the certificate's files, and the server's address are others than in the guide. */
export async function startNginx({ folder, block, path, servers }: NginxOptions): Promise<Proxy> {
  const port = await freePort();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  expect(made.status, String(made.stderr)).toBe(0);
  const site = /^(?:upstream|server)\b/.test(block)
    ? block
    : `server {\nlisten 443 ssl;\nssl_certificate /fullchain.pem;\nssl_certificate_key /privkey.pem;\n${block}}\n`;
  const local = site
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/(?<=ssl_certificate )\S+(?=;)/, cert)
    .replace(/(?<=ssl_certificate_key )\S+(?=;)/, key);
  const configured = local.replaceAll(/127\.0\.0\.1:(80\d\d)\b/g, (_, told: string) => `127.0.0.1:${servers[told]!}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${configured}}\n`,
  );
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  return waitUntilReady(child, { origin: `https://127.0.0.1:${port}`, path, host: NAME, ca: await readFile(cert) });
}

export interface RequestOptions {
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** The caller's address. */
  from?: string;
}
export interface ProxyReply {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** Resolves at the headers. */
export function open(
  { origin, path, host, ca }: Omit<Proxy, 'stop'>,
  below: string,
  { body, headers, from }: RequestOptions = {},
): Promise<IncomingMessage> {
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Host: host, ...headers },
    agent: false as const,
    ...(from && { localAddress: from }),
  };
  const url = `${origin}${path}${below}`;
  return new Promise((resolve, reject) => {
    const sent = ca
      ? httpsRequest(url, { ...options, ca, servername: host }, resolve)
      : httpRequest(url, options, resolve);
    sent.on('error', reject).end(body);
  });
}

export async function send(place: Omit<Proxy, 'stop'>, below: string, sent: RequestOptions = {}): Promise<ProxyReply> {
  const reply = await open(place, below, sent);
  const pieces: Buffer[] = [];
  for await (const piece of reply) pieces.push(piece as Buffer);
  return { status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(pieces).toString() };
}
