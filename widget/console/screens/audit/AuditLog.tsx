import { Button, Empty, Failed, Loading } from '../../parts/controls.tsx';
import { Frame } from '../../parts/Frame.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import type { AuditEntry } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { getPage } from '../../wire.ts';

const FIELDS = { email: 'E-mail address', from: 'First day', to: 'Last day' };

/** Who did what in a chatbot; without one, with the own account. */
export function AuditLog({ chatbot }: { chatbot?: string }) {
  const query = useSignal('');
  const more = useSignal<AuditEntry[]>([]);
  const next = useSignal('');
  const { isBusy, failure: moreFailure, run } = useAction();
  const path = `/api/v1/${chatbot ? `chatbot/${chatbot}` : 'user'}/audit?${query.value}`;
  const { data, failure, reload } = useLoad(path, async (signal) => {
    const page = await getPage<AuditEntry>(path, signal);
    more.value = [];
    next.value = page.next;
    return page.list;
  });
  const listed = [...(data.value ?? []), ...more.value];
  const narrow = (form: HTMLFormElement): void => {
    // What follows the list before is no part of the next.
    next.value = '';
    query.value = String(new URLSearchParams(new FormData(form) as unknown as Record<string, string>));
  };
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const from = next.value;
      const page = await getPage<AuditEntry>(from);
      // Another list stands there by now.
      if (next.value !== from) return;
      more.value = [...more.value, ...page.list];
      next.value = page.next;
    });
  return (
    <Frame {...(chatbot && { chatbot })} title="Audit log">
      <p class="muted">
        {chatbot
          ? 'Who changed something, and who read conversations. Nobody can change or remove an entry.'
          : 'What was done with your account. Each chatbot has a log of its own, in General.'}
      </p>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => event.preventDefault()}
        onChange={({ currentTarget }) => narrow(currentTarget)}
      >
        {Object.entries(FIELDS).map(([name, words]) => (
          <label key={name}>
            <span class="hidden">{words}</span>
            <input {...(name === 'email' ? SEARCH : DATE)} name={name} placeholder={words} />
          </label>
        ))}
      </form>
      <Failed failure={failure} again={reload} />
      {!data.value && !failure.value && <Loading what="the log" />}
      {data.value && listed.length === 0 && (
        <Empty title="No entries">
          {/=[^&]/.test(query.value)
            ? 'Nothing that was looked at matches. Clear the fields, or name more days.'
            : 'What is done from now on appears here.'}
        </Empty>
      )}
      {listed.length > 0 && (
        <div class="scroll" role="region" aria-label="Audit log" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['When', 'Who', 'How', 'What', 'To what'].map((word) => (
                  <th key={word} scope="col">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </div>
      )}
      <Failed failure={moreFailure} />
      {next.value && (
        <Button isBusy={isBusy.value} onClick={() => void loadMore()}>
          Show more
        </Button>
      )}
    </Frame>
  );
}

const [SEARCH, DATE] = [{ type: 'search' }, { type: 'date' }] as const;

/** The screens of records, by the operations that they are left by: the record is the last part of the address, or left out. */
const SCREENS: [RegExp, string, string][] = [
  [/^(?:listMessages|get(?:Transcript|Session)|traceMessage)$/, 'conversations/', 'Conversation'],
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
