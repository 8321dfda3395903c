import { me } from '../account/account.ts';
import { siteAddress } from '../address.ts';
import { chatbots, loadChatbots } from '../chatbots.ts';
import { may } from '../account/membership.ts';
import { Button, Field, Pending } from '../parts/controls.tsx';
import { Frame } from '../parts/Frame.tsx';
import { sent } from '../parts/form.ts';
import { useAction } from '../parts/use-action.ts';
import { useNext } from '../leave.ts';
import { useLoad } from '../parts/use-load.ts';
import type { Chatbot } from '../records.ts';
import { readSite } from '../site.ts';
import { ago } from '../words.ts';
import { post, remove } from '../wire.ts';

/** The user's chatbots, and a field for the site of the next one. */
export function Chatbots() {
  const loading = useLoad('chatbots', loadChatbots);
  const list = chatbots.value;
  return (
    <Frame title="Chatbots">
      {me().is_guest ? (
        <p class="notice">
          You are a guest: to make chatbots of your own, ask whoever runs this server for{' '}
          <code>docent user add {me().user?.name}</code>.
        </p>
      ) : (
        <NewChatbot />
      )}
      <Pending of={{ ...loading, data: chatbots }} what="your chatbots" />
      {list && list.length > 0 && (
        <ul class="cards">
          {list.map((one) => (
            <li key={one.uuid}>
              <a
                class="card"
                href={`/console/chatbot/${one.uuid}/${may(one.uuid, 'read figures') ? 'today' : 'conversations'}`}
              >
                <strong>{one.name}</strong>
                <span class="muted">
                  {one.meta.visibility} · made {ago(one.created_at)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Frame>
  );
}

function NewChatbot() {
  const next = useNext();
  const { isBusy, failure, run } = useAction();
  const start = async (typed: string): Promise<void> => {
    const address = siteAddress(typed);
    const settings = { name: address.hostname, visibility: 'public', show_citations: true };
    const { uuid } = await post<Chatbot>('/api/v1/chatbot/create', settings);
    try {
      await readSite(uuid, address);
    } catch (error) {
      // What fails leaves nothing behind.
      await remove(`/api/v1/chatbot/${uuid}/delete`).catch(() => undefined);
      throw error;
    }
    chatbots.value = undefined;
    next(`/console/chatbot/${uuid}/start`);
  };
  const submit = sent((text) => run(() => start(text('site'))));
  return (
    <form class="new" noValidate onSubmit={submit}>
      <Field
        label="Make a chatbot for your site"
        name="site"
        type="url"
        placeholder="https://shop.example"
        hint="Its pages are read, up to 200 of them; robots.txt is respected. The chatbot is public: whoever has its address can ask it."
        failure={failure.value}
      />
      <Button kind="primary" type="submit" isBusy={isBusy.value}>
        Read the site
      </Button>
    </form>
  );
}
