/** Outlines on a grid of 24, drawn with the text's colour. */
const PATHS = {
  chatbots: 'M4 5h16v11H9l-5 4z',
  conversations: 'M3 4h12v9H8l-5 4zM19 9h2v12l-4-3h-7',
  sources: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  agents: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2 19a6 6 0 0 1 12 0M16 5a3 3 0 0 1 0 6M17 14a5 5 0 0 1 5 5',
  ask: 'M4 5h16v11H9l-5 4zM9 9h6M9 12h4',
  snippet: 'M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16',
  general: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  settings: 'M12 8a4 4 0 1 0 .1 0M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  widget: 'M4 5h16v14H4zM13 13h4v3h-4zM4 9h16',
  back: 'M15 5l-7 7 7 7',
  today: 'M4 20V4M4 20h16M8 15l4-5 3 3 5-7',
  gaps: 'M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18v.5',
  add: 'M12 5v14M5 12h14',
  again: 'M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7',
  remove: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  out: 'M14 4H5v16h9M10 12h10M16 8l4 4-4 4',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2 20c0-4 3-6 7-6s7 2 7 6M16 4a3.5 3.5 0 0 1 0 7M18 14c3 .5 4 3 4 6',
  key: 'M11 12a4 4 0 1 0 0 .1M11 12h10M18 12v4',
  check: 'M5 12l5 5L20 7',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
