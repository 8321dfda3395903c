import { openPanel as open, type OpenedPanel, type PanelOptions } from './panel.tsx';
import { readSettings } from './settings.ts';

/** The panel as the launcher of a script tag loads it, which leaves it to read what is written in the tag. */
export const openPanel = (root: ShadowRoot, { settings, ...options }: PanelOptions): OpenedPanel =>
  open(root, { ...options, settings: readSettings(settings) });
