import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../server/web/addresses.ts';
import type { Lookup } from '../../server/web/guard.ts';
import { createWeb } from '../../server/web/web.ts';
import { listen } from './listener.ts';

/** Names that a resolver would answer with an address of the inside. */
const ZONE: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'a.localhost': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  intranet: ['10.0.0.5'],
  'db.internal': ['172.16.4.4'],
  'router.lan': ['192.168.1.1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '7f000001.nip.io': ['127.0.0.1'],
  'localtest.me': ['127.0.0.1', '::1'],
  'spoofed.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'teredo.example': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'compatible.example': ['::127.0.0.1'],
  'ula.example': ['fd00::1'],
  'linklocal.example': ['fe80::1'],
  'zone.example': ['fe80::1%lo'],
  'metadata.google.internal': ['169.254.169.254'],
  'azure.example': ['168.63.129.16'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example': ['2606:4700::1111', '::1'],
  'zero.example': ['0.0.0.0'],
  'nonsense.example': ['not an address'],
  'nobody.example': [],
  'xn--lcalhost-n0a.example': ['127.0.0.1'],
};
const lookup: Lookup = async (name) =>
  (ZONE[name] ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** One IPv4 address as it can be written: whole, in parts, by base, and inside IPv6. */
function notations([a, b, c, d]: [number, number, number, number]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const low = (c << 8) | d;
  const pair = `${((a << 8) | b).toString(16)}:${low.toString(16)}`;
  const each = (write: (part: number) => string) => [a, b, c, d].map(write).join('.');
  const four = [
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    each((part) => `0x${part.toString(16)}`),
    each((part) => `0${part.toString(8)}`),
    each((part) => `0x000000${part.toString(16)}`),
    `${a}.${b}.${low}`,
    `${a}.0x${((b << 16) | low).toString(16)}`,
    `${a}.${b}.${c}.${d}.`,
  ];
  const six = [
    `::ffff:${pair}`,
    `::ffff:${a}.${b}.${c}.${d}`,
    `0:0:0:0:0:FFFF:${pair}`,
    `::${pair}`,
    `::ffff:0:${pair}`,
    `64:ff9b::${pair}`,
    `2002:${pair}::1`,
  ];
  return [...four, ...six.map((one) => `[${one}]`)].map((host) => `http://${host}:P/`);
}

/** `P` stands for the listener's port. */
const BYPASSES = [
  // IPv4 in every notation
  'http://127.0.0.1:P/',
  'http://127.0.0.2:P/',
  'http://127.255.255.254:P/',
  'http://2130706433:P/',
  'http://0x7f000001:P/',
  'http://0x7F.0x0.0x0.0x1:P/',
  'http://0177.0.0.1:P/',
  'http://0177.0x0.0.1:P/',
  'http://017700000001:P/',
  'http://127.1:P/',
  'http://127.0.1:P/',
  'http://0x7f.1:P/',
  'http://0:P/',
  'http://0.0.0.0:P/',
  'http://0x0:P/',
  'http://127.0.0.1.:P/',
  'http://00000177.1:P/',
  'http://127.0.0.01:P/',
  'http://127。0。0。1:P/',
  'http://127.0.0.1:P/',
  'http://①②⑦.⓪.⓪.①:P/',
  'http://%31%32%37.0.0.1:P/',
  'http://0xffffffff:P/',
  'http://10.0.0.1:P/',
  'http://10.1:P/',
  'http://172.16.0.1:P/',
  'http://172.31.255.255:P/',
  'http://192.168.0.1:P/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xA9FEA9FE/',
  'http://2852039166/',
  'http://100.64.0.1:P/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://224.0.0.1:P/',
  'http://239.255.255.250:P/',
  'http://240.0.0.1:P/',
  'http://255.255.255.255:P/',
  'http://198.18.0.1:P/',
  'http://192.0.2.1:P/',
  'http://203.0.113.1:P/',
  'http://192.88.99.1:P/',
  // IPv6 and IPv4 inside it
  'http://[::1]:P/',
  'http://[0:0:0:0:0:0:0:1]:P/',
  'http://[::]:P/',
  'http://[::ffff:127.0.0.1]:P/',
  'http://[::ffff:7f00:1]:P/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]:P/',
  'http://[::127.0.0.1]:P/',
  'http://[::ffff:0:127.0.0.1]:P/',
  'http://[64:ff9b::127.0.0.1]:P/',
  'http://[64:ff9b:1::7f00:1]:P/',
  'http://[2002:7f00:1::]:P/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:P/',
  'http://[fe80::1]:P/',
  'http://[fe80::5efe:7f00:1]:P/',
  'http://[2620:1::200:5efe:7f00:1]:P/',
  'http://[fc00::1]:P/',
  'http://[fd00:ec2::254]/',
  'http://[fec0::1]:P/',
  'http://[ff02::1]:P/',
  'http://[2001:db8::1]:P/',
  'http://[3fff::1]:P/',
  'http://[100::1]:P/',
  'http://[fe80::1%25lo]:P/',
  'http://[::1%25lo]:P/',
  // userinfo, schemes, other tricks of writing
  'http://example.com@127.0.0.1:P/',
  'http://user:secret@example.com:P/',
  'http://127.0.0.1:P@example.com/',
  'http://example.com:80@127.0.0.1:P/',
  'http:\\\\127.0.0.1:P\\',
  'http:127.0.0.1:P/',
  '  http://127.0.0.1:P/',
  'http://\t127.0.0.1:P/',
  'http://127.0.0.1:P#@example.com/',
  'http://127.0.0.1:P?@example.com/',
  'http://example.com#@127.0.0.1:P/',
  'hTTp://127.0.0.1:0P/',
  'https://127.0.0.1:P/',
  'https://[::1]:P/',
  'ftp://127.0.0.1:P/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:P/',
  'data:text/html,hi',
  'javascript:1',
  'ws://127.0.0.1:P/',
  'blob:http://127.0.0.1:P/x',
  '//127.0.0.1:P/',
  '127.0.0.1:P',
  '',
  // names
  ...Object.keys(ZONE).map((name) => `http://${name}:P/`),
  'http://LOCALHOST:P/',
  'http://ⓛocalhost:P/',
  'http://loc­alhost:P/',
  'https://localtest.me:P/',
  ...notations([127, 0, 0, 1]),
  ...notations([127, 8, 9, 10]),
  ...notations([10, 1, 2, 3]),
  ...notations([172, 20, 30, 40]),
  ...notations([192, 168, 1, 254]),
  ...notations([169, 254, 169, 254]),
];

describe('the address guard', () => {
  let site: Awaited<ReturnType<typeof listen>>;
  let six: Awaited<ReturnType<typeof listen>> | undefined;
  beforeAll(async () => {
    site = await listen((_, response) => response.setHeader('content-type', 'text/html').end('inside'), '0.0.0.0');
    six = await listen((_, response) => response.end('inside'), '::1').catch(() => undefined);
  });
  afterAll(async () => {
    await Promise.all([site.close(), six?.close()]);
  });

  const refused = async (web: ReturnType<typeof createWeb>, url: string) =>
    expect(
      await web.get(url, { accept: ['text/html'] }).then(
        () => 'fetched',
        (error) => error.reason,
      ),
      url,
    ).toMatch(/^(blocked address|download)$/);

  it(`refuses ${BYPASSES.length} ways to the inside without one connection`, async () => {
    const web = createWeb({ allow: [], lookup, deadline: 300 });
    const connections = (): number => site.connections() + (six?.connections() ?? 0);
    const before = connections();
    for (const bypass of BYPASSES) {
      await refused(web, bypass.replace('P', String(site.port)));
      if (six) await refused(web, bypass.replace('P', String(six.port)));
    }
    expect(BYPASSES.length).toBeGreaterThan(200);
    expect(connections()).toBe(before);
    await web.close();
  });

  it('says `blocked address` for literals and for names alike', async () => {
    const web = createWeb({ allow: [], lookup });
    for (const url of [
      'http://0x7f.1/',
      'http://localtest.me/',
      'http://[::ffff:10.0.0.1]/',
      'http://a:b@example.com/',
    ]) {
      await expect(web.get(url, { accept: ['text/html'] })).rejects.toMatchObject({ reason: 'blocked address' });
    }
    await web.close();
  });

  it('connects to the address it checked, though the name changes its answer meanwhile', async () => {
    let asked = 0;
    const rebinding: Lookup = async () => [{ address: asked++ === 0 ? '192.31.7.1' : '127.0.0.1', family: 4 }];
    const web = createWeb({ allow: [], lookup: rebinding, deadline: 300 });
    // Another process may have met this port, which it knew as that of a server that has ended.
    const before = site.connections();
    await refused(web, `http://rebind.example:${site.port}/`);
    expect(asked).toBe(1);
    await refused(web, `http://rebind.example:${site.port}/`);
    await web.close();
    expect(site.connections()).toBe(before);
  });

  it('lets FETCH_ALLOW pass for exactly that host and port', async () => {
    const before = site.connections();
    const web = createWeb({ allow: [`127.0.0.1:${site.port}`, `db.internal.example:${site.port}`], lookup });
    const page = await web.get(`http://0x7f.1:${site.port}/x`, { accept: ['text/html'] });
    expect(page.body.toString()).toBe('inside');
    await web.get(`http://db.internal.example:${site.port}/`, { accept: ['text/html'] });
    const after = site.connections();
    expect(after - before).toBeGreaterThanOrEqual(2);
    await refused(web, `http://127.0.0.2:${site.port}/`);
    await refused(web, `http://localhost:${site.port}/`);
    await refused(web, `http://127.0.0.1:${site.port + 1}/`);
    await refused(web, `http://sub.db.internal.example:${site.port}/`);
    expect(site.connections()).toBe(after);
    await web.close();
  });

  it('knows public addresses from others', () => {
    for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::200e']) {
      expect(isPublicAddress(address), address).toBe(true);
    }
    for (const address of ['127.0.0.1', '::', '::1', '1.2.3', '', 'fe80::1%eth0', '2001:2::1', '5f00::1', '4000::1']) {
      expect(isPublicAddress(address), address).toBe(false);
    }
  });
});

describe('redirects', () => {
  it('are judged anew at every step', async () => {
    const inside = await listen((_, response) => response.setHeader('content-type', 'text/html').end('inside'));
    const targets = [
      `http://127.0.0.1:${inside.port}/`,
      `http://0x7f.1:${inside.port}/`,
      `http://[::ffff:127.0.0.1]:${inside.port}/`,
      `http://localtest.me:${inside.port}/`,
      `//localhost:${inside.port}/`,
      `http://u:p@example.com/`,
      'file:///etc/passwd',
      'http://169.254.169.254/',
    ];
    const site = await listen((request, response) => {
      response.writeHead(302, { location: targets[Number(request.url!.slice(1))] }).end();
    });
    const web = createWeb({ allow: [`127.0.0.1:${site.port}`], lookup });
    for (const index of targets.keys()) {
      const get = web.get(`${site.origin}/${index}`, { accept: ['text/html'] });
      await expect(get, targets[index]).rejects.toMatchObject({ reason: 'blocked address' });
    }
    expect(inside.connections()).toBe(0);
    await Promise.all([web.close(), site.close(), inside.close()]);
  });
});

describe('of this server itself', () => {
  const paths = (request: { url?: string }) => request.url ?? '';
  it('only the demo may be fetched, by its public name too', async () => {
    const seen: string[] = [];
    const server = await listen((request, response) => {
      seen.push(`${request.headers.host}${paths(request)}`);
      if (paths(request) === '/demo/out') response.writeHead(302, { location: '/api/v1/chatbots' }).end();
      else response.setHeader('content-type', 'text/html').end('demo');
    });
    const origin = 'https://chat.example.com';
    const self = {
      origins: [server.origin, origin],
      connect: { host: '127.0.0.1', port: server.port },
      paths: ['/demo/'],
    };
    const web = createWeb({ allow: [`127.0.0.1:${server.port}`], self, lookup });
    const get = (url: string) => web.get(url, { accept: ['text/html'] });
    expect((await get(`${server.origin}/demo/returns.html?a=1`)).body.toString()).toBe('demo');
    expect((await get(`${origin}/demo/`)).url).toBe(`${origin}/demo/`);
    expect((await get(`${origin}/api/../demo/./x`)).url).toBe(`${origin}/demo/x`);
    expect(seen).toEqual([
      `127.0.0.1:${server.port}/demo/returns.html?a=1`,
      'chat.example.com/demo/',
      'chat.example.com/demo/x',
    ]);
    const tricks = [
      '/',
      '/api/v1/chatbots',
      '/chat/abc',
      '/demo',
      '/demo/../api/v1',
      '/demo/%2e%2e/api',
      '/demo/.%2E/api',
      '/demo/..%2fapi',
      '/demo/..%5Capi',
      '/demo/%252e%252e/api',
      '/demo\\..\\api',
      '/demo/..;/api%2f',
      '/Demo/',
      '//demo/',
      '/demo/x%00',
      '/demo/..\t/api',
      '/demo/.\n./api',
    ];
    for (const path of tricks) {
      await expect(get(server.origin + path), path).rejects.toMatchObject({ reason: 'blocked address' });
      await expect(get(origin + path), path).rejects.toMatchObject({ reason: 'blocked address' });
    }
    expect(seen.length).toBe(3);
    await expect(get(`${server.origin}/demo/out`)).rejects.toMatchObject({ reason: 'blocked address' });
    expect(seen.length).toBe(4);
    await Promise.all([web.close(), server.close()]);
  });
});
