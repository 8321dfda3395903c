import type { Transporter } from 'nodemailer';
import type { Config } from '../config.ts';
import { Refusal } from '../schema/errors.ts';

/** Text by SMTP, through the server that the operator named. */
export interface Mailer {
  /**
   * Resolves once the mail server has accepted it. Throws a `Refusal` that says what is wrong, in words of our own: neither the address nor the
   * password of the mail server is in it.
   */
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  /** The address of a user. */
  to: string;
  subject: string;
  text: string;
  /** Nobody has asked for this one mail: no machine is to answer it (RFC 3834). False by default. */
  isAutomatic?: true;
}

const OWNER = 'owner@localhost';

/** Milliseconds for the connection and for the server's first word, and between two of its words. */
const [CONNECT_MS, SILENCE_MS] = [10_000, 15_000];

/** Nodemailer is loaded with the first mail. */
export function createMailer({ url, from, ownerAddress }: NonNullable<Config['mail']>): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    async send({ to, subject, text, isAutomatic }) {
      const address = to === OWNER ? ownerAddress : to;
      if (address === undefined)
        throw new Refusal('conflict', `no mail reaches ${OWNER}: set OWNER_EMAIL to the address of its owner`);
      transport ??= connect(url);
      try {
        const headers = isAutomatic ? { 'Auto-Submitted': 'auto-generated' } : {};
        await (await transport).sendMail({ from, to: { name: '', address }, subject, text, headers });
      } catch (error) {
        throw asRefusal(error as SmtpError);
      }
    },
  };
}

async function connect(address: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(address);
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const isTls = protocol === 'smtps:';
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isTls ? 465 : 587),
    secure: isTls,
    // A server of this machine seldom has a certificate for its name; to any other no password goes in the clear.
    ignoreTLS: isLocal && !isTls,
    requireTLS: !isLocal && username !== '',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** What to do, by the code that nodemailer gives an error. */
const ADVICE: Record<string, string> = {
  EAUTH: 'refuses the user or the password of SMTP_URL',
  ENOAUTH: 'wants a user and a password: put them into SMTP_URL',
  ETLS: 'offers no encryption that this server accepts: check the scheme and port of SMTP_URL, and its certificate',
  EDNS: 'has a host name that is not found: check SMTP_URL',
  ETIMEDOUT: 'does not answer in time: check the host and port of SMTP_URL, and the firewall between',
  ECONNECTION: 'cannot be reached: check the host and port of SMTP_URL',
  ESOCKET: 'cannot be reached: check the host and port of SMTP_URL',
  EPROTOCOL: 'does not speak SMTP: check the scheme and port of SMTP_URL',
};

/** Whether what `send` has thrown is of the mail server, which then takes no other mail either. */
export const isOfServer = (error: unknown): boolean =>
  error instanceof Refusal && String((error.cause as NodeJS.ErrnoException | undefined)?.code) in ADVICE;

/** Whether the mail server has refused the address, or the mail itself, for good: what is tried again is refused again. */
export function isForGood(error: unknown): boolean {
  const { responseCode = 0, command } = Object(error instanceof Refusal && error.cause) as SmtpError;
  return responseCode >= 500 && !isOfServer(error) && command !== 'MAIL FROM';
}

type SmtpError = NodeJS.ErrnoException & { responseCode?: number; command?: string };

function asRefusal(error: SmtpError): Refusal {
  const status = error.responseCode === undefined ? '' : ` (SMTP ${error.responseCode})`;
  const advice =
    ADVICE[error.code ?? ''] ?? 'does not accept the mail: check MAIL_FROM, and the address that it goes to';
  return new Refusal('upstream_failed', `the mail server ${advice}${status}`, { cause: error });
}

/** Of a name, for a mail: an owner who could write lines of it could write the mail. */
export const onOneLine = (name: string): string => name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 80);
