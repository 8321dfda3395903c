import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A mail server that keeps what it is sent. */
export interface FakeMail {
  /** For `SMTP_URL`. */
  url: string;
  /** In the order in which they were accepted; `text` as it is written, quoted-printable decoded; `head`: the lines of headers. */
  mails: { to: string; subject: string; text: string; head: string }[];
  /** The reply to a command that begins so, in place of the usual: `RCPT` → `550 no such user`. */
  instead: Record<string, string>;
  /** What `AUTH PLAIN` has given, decoded. */
  credentials: string[];
  close(): Promise<void>;
}

export async function startFakeMail(): Promise<FakeMail> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => {}));
    converse(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  function converse(socket: Socket): void {
    let [received, to, isData] = ['', '', false];
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    say('220 mail.test');
    socket.setEncoding('utf8').on('data', (piece: string) => {
      received += piece;
      const end = isData ? '\r\n.\r\n' : '\r\n';
      for (let at = received.indexOf(end); at >= 0; at = received.indexOf(isData ? '\r\n.\r\n' : '\r\n')) {
        const whole = received.slice(0, at);
        received = received.slice(at + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          fake.mails.push({ to, ...readMail(whole) });
          say('250 accepted');
          continue;
        }
        const refused = Object.entries(fake.instead).find(([start]) => whole.startsWith(start))?.[1];
        if (refused !== undefined) {
          if (refused) say(refused);
          continue;
        }
        if (/^EHLO/i.test(whole)) say('250-mail.test\r\n250 AUTH PLAIN');
        else if (/^AUTH PLAIN/i.test(whole)) {
          fake.credentials.push(Buffer.from(whole.slice(11), 'base64').toString());
          say('235 welcome');
        } else if (/^RCPT/i.test(whole)) {
          to = /<([^>]*)>/.exec(whole)![1]!;
          say('250 ok');
        } else if (/^DATA/i.test(whole)) {
          isData = true;
          say('354 go on');
        } else if (/^QUIT/i.test(whole)) socket.end('221 bye\r\n');
        else say('250 ok');
      }
    });
  }

  const fake: FakeMail = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails: [],
    instead: {},
    credentials: [],
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
  return fake;
}

function readMail(whole: string): Omit<FakeMail['mails'][0], 'to'> {
  const [head = '', ...rest] = whole.split('\r\n\r\n');
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ');
  const body = rest.join('\r\n\r\n').replaceAll('\r\n', '\n');
  const decode = (text: string): string =>
    Buffer.from(
      text
        .replace(/=\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))),
      'latin1',
    ).toString();
  const isQuoted = /quoted-printable/i.test(unfolded);
  const subject = /^Subject: (.*)$/im.exec(unfolded)?.[1] ?? '';
  return { subject, text: isQuoted ? decode(body) : body, head: unfolded };
}
