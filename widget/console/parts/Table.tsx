import type { ComponentChildren } from 'preact';

interface TableProps {
  label: string;
  /** Of the columns: what stands there, '' above buttons, and a class where it has one. */
  heads: readonly (string | [head: ComponentChildren, ofClass: string])[];
  /** The rows. */
  children: ComponentChildren;
}

/** A table that scrolls sideways within itself. */
export const Table = ({ label, heads, children }: TableProps) => (
  <div class="scroll" role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map((one, at) => {
            const [head, ofClass] = typeof one === 'string' ? [one] : one;
            return (
              <th key={at} scope="col" class={ofClass}>
                {head || <span class="hidden">Actions</span>}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
