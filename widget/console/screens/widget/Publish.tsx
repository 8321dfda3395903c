import { publicAddress } from '../../account/account.ts';
import { may } from '../../account/membership.ts';
import { Check } from '../../parts/controls.tsx';
import { pauseOf, Seen, type SeenOn } from '../../parts/Seen.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { useLoad } from '../../parts/use-load.ts';
import type { Chatbot, WidgetSettings } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { attributesOf, snippetsFor } from '../../snippets.ts';
import { get } from '../../wire.ts';

interface PublishProps {
  chatbot: Chatbot;
  /** As they are saved. */
  settings: WidgetSettings;
}

/** What to paste where, and the link of the page that the chat has of its own. */
export function Publish({ chatbot: { uuid, meta }, settings }: PublishProps) {
  const platform = useSignal('Script tag');
  const hasLook = useSignal(false);
  const { data } = useLoad(uuid, (signal) => get<SeenOn>(`/api/v1/chatbot/${uuid}/widget/seen-on`, signal), pauseOf);
  const server = publicAddress();
  const snippets = snippetsFor(server, uuid, hasLook.value ? attributesOf(settings) : {});
  const [where, code] = snippets[platform.value]!;
  const general = may(uuid, 'own') ? <a href={`/console/chatbot/${uuid}/general`}>General</a> : 'General';
  return (
    <>
      <section>
        <h2>Put it on your site</h2>
        {meta.visibility === 'private' && (
          <p class="notice">
            This chatbot is private: visitors see its button and get no answer. An owner makes it public in {general}.
          </p>
        )}
        <label class="field">
          Your site is made with
          <select onChange={(event) => (platform.value = event.currentTarget.value)}>
            {Object.keys(snippets).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Check
          label="With what is saved here, which then wins over later changes"
          onChange={(event) => (hasLook.value = event.currentTarget.checked)}
        />
        <p>{where}</p>
        <Snippet key={code} code={code} />
        {data.value && <Seen {...data.value} />}
      </section>
      <section>
        <h2>A page of its own</h2>
        {meta.visibility === 'public' ? (
          <>
            <p>For a link in a mail, or a code on a till: the chat without a site.</p>
            <Snippet code={`${server}/c/${uuid}`} label="Copy the link" />
            <img class="code" src={`/c/${uuid}/qr.svg`} alt="QR code of the link" width="164" height="164" />
            <a class="button" href={`/c/${uuid}/qr.svg`} download="chat-qr-code.svg">
              Download the code
            </a>
          </>
        ) : (
          <p>Only a public chatbot has one. An owner makes it public in {general}.</p>
        )}
      </section>
    </>
  );
}
