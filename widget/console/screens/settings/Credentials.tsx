import { Confirm } from '../../parts/Confirm.tsx';
import { Table } from '../../parts/Table.tsx';
import { ago } from '../../words.ts';

/** A key or a passkey of the user. */
export interface Credential {
  uuid: string;
  name: string;
  /** Beside the name. */
  note?: string;
  created: string;
  /** '' before its first use. */
  last_used: string;
}

interface CredentialsProps {
  label: string;
  /** Of the first column. */
  name: string;
  rows: Credential[];
  /** What takes one away. */
  action: string;
  question: (one: Credential) => string;
  isBusy: boolean;
  onRemove: (one: Credential) => void;
}

/** What the user signs in with, each with a button that takes it away. Nothing where there are none. */
export const Credentials = ({ label, name, rows, action, question, isBusy, onRemove }: CredentialsProps) =>
  rows.length === 0 ? null : (
    <Table label={label} heads={[name, 'Made', 'Last used', '']}>
      {rows.map((one) => (
        <tr key={one.uuid}>
          <th scope="row">
            {one.name} <span class="muted">{one.note}</span>
          </th>
          <td>{ago(one.created)}</td>
          <td>{one.last_used ? ago(one.last_used) : 'never'}</td>
          <td class="end">
            <Confirm label={action} question={question(one)} isBusy={isBusy} act={() => onRemove(one)} />
          </td>
        </tr>
      ))}
    </Table>
  );
