import { Icon } from './Icon.tsx';

/** Of `GET …/widget/seen-on`. */
export interface SeenOn {
  seen_on: { origin: string }[];
}

/** Milliseconds between two looks until a page with the snippet was seen. */
const WAIT_MS = 4000;

/** Until the next look; 0: none. */
export const pauseOf = ({ seen_on }: SeenOn): number => (seen_on.length === 0 ? WAIT_MS : 0);

/** Whether a page with the snippet was loaded already. */
export const Seen = ({ seen_on }: SeenOn) => (
  <p role="status">
    {seen_on.length > 0 ? (
      <>
        <Icon name="check" /> Seen on{' '}
        <strong>{seen_on.map(({ origin }) => origin.replace(/^https?:\/\//, '')).join(', ')}</strong>.
      </>
    ) : (
      <>
        <span class="spinner" /> Waiting for your site … It is noticed once a page with the line is opened.
      </>
    )}
  </p>
);
