import { Refusal } from '../../schema/errors.ts';
import { Fault, Success } from '../../schema/records.ts';
import { countUse, FEW_MAILS } from '../requests/count-use.ts';
import { requireProved } from '../requests/rights.ts';
import { operation, type ApiDeps, type Operation } from '../requests/operation.ts';

export const mailOperations = (deps: ApiDeps): Operation[] => [
  operation({
    id: 'sendTestMail',
    right: 'signed in',
    audit: 'changes',
    method: 'POST',
    path: '/api/v1/mail/test',
    summary: 'Send a mail to your own address',
    description:
      'Says what is wrong where the mail server does not take it: 502. 409 where none is set (`SMTP_URL`), and for a guest, whose address nobody has proved. One user sends 10 in six minutes at most: one more is 429.',
    reply: Success,
    others: { 409: Fault, 429: Fault, 502: Fault },
    async handle({ user, ctx }) {
      const { mail, base, store } = deps;
      if (!mail) throw new Refusal('conflict', 'no mail is sent: set SMTP_URL and MAIL_FROM where the server starts');
      // Each guest has the limit anew: whoever invites could have any address mailed as often as they like.
      await requireProved(store, user);
      await countUse(deps, { ctx, user, operation: 'sendTestMail' }, FEW_MAILS);
      await mail.send({
        to: user.email,
        subject: 'Mail from Docent works',
        text: `You have asked for this mail in the console of ${base}.\n`,
      });
      return { success: true };
    },
  }),
];
