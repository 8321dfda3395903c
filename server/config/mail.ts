import { isEmail } from '../schema/fields.ts';

/** How mail is sent. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  url: string;
  /** `Name <address>`, or an address alone. */
  from: string;
  /** Where mail for `owner@localhost` goes; undefined for nowhere. */
  ownerAddress: string | undefined;
}

/** Undefined where none is set. Throws an Error that names the variable and does not have the address of the mail server, with its password. */
export function readMail(
  url: string | undefined,
  from: string | undefined,
  ownerAddress: string | undefined,
): MailSettings | undefined {
  if (url === undefined) {
    if (from !== undefined) throw new Error('SMTP_URL must be set where MAIL_FROM is');
    return undefined;
  }
  if (!isServer(url))
    throw new Error(
      'SMTP_URL must be the address of a mail server, smtp://user:password@host:587 or smtps://user:password@host:465, with a percent-encoded user and password (@ as %40)',
    );
  const [, named] = /^[^<>\p{C}]*<([^<>]+)>$/u.exec(from ?? '') ?? [];
  if (from === undefined || !isEmail(named ?? from))
    throw new Error('MAIL_FROM must be the sender of mails where SMTP_URL is set, such as Docent <docent@example.com>');
  if (ownerAddress !== undefined && !isEmail(ownerAddress))
    throw new Error('OWNER_EMAIL must be an address such as ann@example.com');
  return { url, from, ownerAddress };
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  try {
    decodeURIComponent(`${username}${password}`);
  } catch {
    return false;
  }
  return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === '';
}
