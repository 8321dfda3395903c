import { Empty, Pending } from '../../parts/controls.tsx';
import { Filters, useFilters } from '../../parts/Filters.tsx';
import { Table } from '../../parts/Table.tsx';
import { usePages } from '../../parts/use-pages.tsx';
import type { AuditEntry } from '../../records.ts';

const FIELDS = {
  email: { label: 'E-mail address', type: 'search' },
  from: { label: 'First day (UTC)', type: 'date' },
  to: { label: 'Last day (UTC)', type: 'date' },
} as const;

/** Who did what in a chatbot; without one, with the own account. */
export function AuditLog({ chatbot }: { chatbot?: string }) {
  const base = chatbot ? `/console/chatbot/${chatbot}/general/audit` : '/console/settings/audit';
  const { query, ...narrowed } = useFilters(Object.keys(FIELDS), base);
  const { listed, more, ...loading } = usePages<AuditEntry>(
    `/api/v1/${chatbot ? `chatbot/${chatbot}` : 'user'}/audit${query}`,
  );
  return (
    <>
      <p class="muted">
        {chatbot
          ? 'Who changed something, and who read conversations. Nobody can change or remove an entry.'
          : 'What was done with your account. Each chatbot has a log of its own, in General.'}
      </p>
      <Filters fields={FIELDS} {...narrowed} />
      <Pending of={loading} what="the log" />
      {loading.data.value && listed.length === 0 && (
        <Empty title="No entries">
          {query
            ? 'Nothing that was looked at matches. Clear the fields, or name more days.'
            : 'What is done from now on appears here.'}
        </Empty>
      )}
      {listed.length > 0 && (
        <Table label="Audit log" heads={['When', 'Who', 'How', 'What', 'To what']}>
          {listed.map((one) => (
            <tr key={one.uuid}>
              <td>{new Date(one.at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}</td>
              <th scope="row">{one.email || 'A user who is gone'}</th>
              <td>
                {one.by.type} {one.by.hint}
              </td>
              <td>{one.summary}</td>
              <td>
                {one.detail} <Where {...one} {...(chatbot && { chatbot })} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {more}
    </>
  );
}

/** The screens of records, by the operations that they are left by: the record is the last part of the address, or left out. */
const SCREENS: [RegExp, string, string][] = [
  [
    /^(?:listMessages|(?:create|stream)Message|get(?:Transcript|Session)|traceMessage)$/,
    'conversations/',
    'Conversation',
  ],
  [/^(?:create|update|re).+Sources?$/, 'sources/', 'Source'],
  [/Agent|Function/, 'agents', 'Agents'],
  [/Member|Invitation/, 'people', 'People'],
];

/** A link to what it was done to, where there is a screen for that. */
function Where({ chatbot, operation, record }: AuditEntry & { chatbot?: string }) {
  if (operation === 'createChatbot') return <a href={`/console/chatbot/${record}/today`}>Chatbot</a>;
  const [, screen = '', word] = SCREENS.find(([is]) => is.test(operation)) ?? [];
  return chatbot && screen ? (
    <a href={`/console/chatbot/${chatbot}/${screen}${screen.endsWith('/') ? record : ''}`}>{word}</a>
  ) : null;
}
