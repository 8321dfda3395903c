import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Check, Pending } from '../../parts/controls.tsx';
import { Preview } from '../../parts/Preview.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { loadShown, withSettings, type Shown } from '../../profile.ts';
import type { WidgetSettings } from '../../records.ts';
import { useSignal } from '../../signals.ts';
import { asVisitorSees, traceQuestion } from '../playground/trace-question.ts';
import { Publish } from './Publish.tsx';
import { changesOf } from './settings.ts';
import { useLeave } from '../../leave.ts';
import { WidgetForm } from './WidgetForm.tsx';

/** How the widget looks and what it says, where it goes, and the page that it has of its own. */
export function Widget({ chatbot }: { chatbot: string }) {
  const loading = useLoad(chatbot, (signal) => loadShown(chatbot, signal));
  const { data } = loading;
  return (
    <>
      <Pending of={loading} what="the settings" />
      {data.value && <Editor chatbot={chatbot} shown={data.value} />}
    </>
  );
}

function Editor({ chatbot, shown: { chatbot: record, settings, profile } }: { chatbot: string; shown: Shown }) {
  const saved = useSignal(settings);
  const draft = useSignal(settings);
  useLeave(() => Object.keys(changesOf(draft.value, saved.value)).length > 0);
  return (
    <>
      <div class="widget">
        <Stage chatbot={chatbot} profile={profile} draft={draft} />
        <WidgetForm chatbot={chatbot} saved={saved} draft={draft} />
      </div>
      <Publish chatbot={record} settings={saved.value} />
    </>
  );
}

interface StageProps {
  chatbot: string;
  profile: Shown['profile'];
  draft: Signal<WidgetSettings>;
}

/** Milliseconds after which what is typed is shown: each change makes the widget anew. */
const SHOW_MS = 300;
/** Of the window: below, the preview is as wide as a phone anyway. */
const SMALL = '(width < 590px)';

/** The widget with the settings of the form, on the owner's page. */
function Stage({ chatbot, profile, draft }: StageProps) {
  const shown = useSignal(draft.value);
  const isOpen = useSignal(true);
  const isDark = useSignal(false);
  const isPhone = useSignal(false);
  const settings = draft.value;
  useEffect(() => {
    const timer = setTimeout(() => (shown.value = settings), SHOW_MS);
    return () => clearTimeout(timer);
  }, [settings]);
  const isSmall = isPhone.value || matchMedia(SMALL).matches;
  const scheme = isDark.value ? 'dark' : 'light';
  // A teaser is shown at once, and triggers are for visitors.
  const now = { open: isOpen.value, teaser_after: 0, triggers: [] };
  return (
    <section class="stage" aria-label="Preview">
      <div class={isPhone.value ? 'page phone' : 'page'} style={{ colorScheme: scheme }}>
        <iframe class="preview" title="Your site" src={`/console/backdrop/${chatbot}?scheme=${scheme}`} />
        <Preview
          profile={withSettings(profile, { ...shown.value, ...now })}
          // It does not open by itself on a phone.
          isInline={isSmall && isOpen.value}
          scheme={scheme}
          onAsk={async (query) => asVisitorSees(await traceQuestion(chatbot, query))}
        />
      </div>
      <fieldset>
        <legend class="hidden">Show it</legend>
        <Toggle label="Open" is={isOpen} />
        <Toggle label="On a dark page" is={isDark} />
        <Toggle label="On a phone" is={isPhone} />
      </fieldset>
    </section>
  );
}

const Toggle = ({ label, is }: { label: string; is: Signal<boolean> }) => (
  <Check label={label} checked={is.value} onChange={(event) => (is.value = event.currentTarget.checked)} />
);
