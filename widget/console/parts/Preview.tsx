import { useEffect, useRef } from 'preact/hooks';
import type { ChatbotProfile, ChatEvent } from '../../../server/types.ts';
import { useSignal } from '../signals.ts';
import { Failure } from '../wire.ts';

interface PreviewProps {
  /** What the widget is told of its chatbot. Another one makes the widget anew. */
  profile: ChatbotProfile;
  /** Without the launcher, always open. */
  isInline?: boolean;
  /** That of the page around it; of the system's where it is left out. */
  scheme?: 'light' | 'dark';
  /** Replies to a visitor's question; what it rejects with is what the visitor sees. */
  onAsk: (query: string) => Promise<ChatEvent>;
}

/** A request of the widget's; server/console/preview.ts sends it. */
interface Asked {
  id: number;
  path: string;
  body?: string | undefined;
}

/** Milliseconds from the last request of a new widget until it is drawn. */
const DRAW_MS = 300;

/**
 * The widget itself, as visitors get it, in a frame of its own. Nothing that is asked in it is stored. Where another takes its place, it
 * stays below that until it is drawn: an empty frame between them would blink.
 */
export function Preview({ isInline = false, scheme, ...props }: PreviewProps) {
  const src = `/console/preview${scheme ? `?scheme=${scheme}` : ''}${isInline ? '#inline' : ''}`;
  const now = { ...props, src, key: src + JSON.stringify(props.profile) };
  const drawn = useSignal(now);
  const isNew = drawn.value.key !== now.key;
  return [...(isNew ? [{ ...drawn.value, isOld: true }] : []), now].map((one) => (
    <PreviewFrame {...one} onDrawn={() => one === now && (drawn.value = now)} />
  ));
}

interface PreviewFrameProps extends Pick<PreviewProps, 'profile' | 'onAsk'> {
  src: string;
  isOld?: boolean;
  onDrawn: () => void;
}

function PreviewFrame({ src, profile, onAsk, isOld = false, onDrawn }: PreviewFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;
  const replyTo = useRef<(asked: Asked) => Promise<string>>(undefined);
  replyTo.current = async ({ path, body }) => {
    if (path.endsWith('/ask')) return streamOf(await onAsk((JSON.parse(body ?? '') as { query: string }).query));
    return JSON.stringify(path.split('/').length === 3 ? profile : {});
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reply = async ({ source, data }: MessageEvent): Promise<void> => {
      const own = frame.current?.contentWindow;
      if (!own || source !== own || !isAsked(data)) return;
      const sent = await replyTo.current!(data).then(
        (text) => ({ status: 200, body: text }),
        (fault: unknown) => ({ status: fault instanceof Failure ? fault.status || 502 : 500, body: FAILED }),
      );
      // Its origin is opaque: none can be named.
      own.postMessage({ id: data.id, ...sent }, '*');
      clearTimeout(timer);
      timer = setTimeout(() => drawn.current(), DRAW_MS);
    };
    const listen = (event: MessageEvent): void => void reply(event);
    addEventListener('message', listen);
    return () => {
      removeEventListener('message', listen);
      clearTimeout(timer);
    };
  }, []);
  return (
    <iframe
      ref={frame}
      class="preview"
      inert={isOld}
      title={isOld ? 'The chat before the change' : 'The chat as visitors see it'}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
      src={src}
    />
  );
}

const FAILED = '{"error":"the answer could not be finished; please ask again","code":"internal"}';

function isAsked(data: unknown): data is Asked {
  const { id, path } = Object(data) as Partial<Record<keyof Asked, unknown>>;
  return typeof id === 'number' && typeof path === 'string';
}

/** As the server writes a stream; the session is one of this page alone. */
function streamOf(last: ChatEvent): string {
  const text = last.event === 'done' ? last.data.response : '';
  const uuid = last.event === 'done' ? last.data.uuid : 'preview';
  const events: (ChatEvent & { id?: number })[] = [
    { event: 'session', data: { uuid: 'preview' } },
    { event: 'message', data: { uuid } },
    ...(text ? [{ event: 'delta', id: text.length, data: { text } } as const] : []),
    last,
  ];
  const write = ({ event, data, id }: (typeof events)[number]): string =>
    `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  return events.map(write).join('');
}
