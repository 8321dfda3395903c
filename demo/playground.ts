import type { Preview } from './preview.ts';
import { snippet } from './snippet.ts';
import style from './playground.css?inline';

/** While somebody types, the preview waits: each change puts a new widget there. */
const TYPING_MS = 200;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const form = document.querySelector('form')!;
const frame = document.querySelector('iframe')!;
const page = document.querySelector<HTMLSelectElement>('#page')!;
const tag = document.querySelector('#snippet')!;
const status = document.querySelector('#said')!;
const control = (name: string): Control => form.elements.namedItem(name) as Control;

/** What the form was written with is what the widget does by itself. */
function isDefault(control: Control): boolean {
  if (control instanceof HTMLSelectElement) return control.selectedOptions[0]?.defaultSelected ?? true;
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return !control.checked;
  return control.value === control.defaultValue;
}

/** The settings that differ from the widget's own, by the names of their attributes. */
function settings(): Record<string, string> {
  const found: Record<string, string> = {};
  const suggestions: string[] = [];
  for (const control of Array.from(form.elements) as Control[]) {
    const { name, value } = control;
    if (!name || name === 'chatbot' || isDefault(control) || !control.checkValidity()) continue;
    // The sign between two suggestions has no place in one.
    if (name === 'suggestions') suggestions.push(value.replaceAll('|', '/').trim());
    else if (name === 'icon' && value === 'image') continue;
    else if (control.matches(':enabled')) found[name === 'image' ? 'icon' : name] = name === 'open' ? '' : value.trim();
  }
  const asked = suggestions.filter(Boolean).join('|');
  return asked ? { ...found, suggestions: asked } : found;
}

let timer: ReturnType<typeof setTimeout> | undefined;

function update(): void {
  (control('image') as HTMLInputElement).disabled = control('icon').value !== 'image';
  const given = settings();
  tag.textContent = snippet(location.origin, control('chatbot').value.trim(), given);
  status.textContent = '';
  frame.classList.toggle('phone', page.value === 'phone');
  clearTimeout(timer);
  timer = setTimeout(() => (frame.contentWindow as Preview | null)?.show?.(given, page.value), TYPING_MS);
}

async function copy(): Promise<void> {
  try {
    await navigator.clipboard.writeText(tag.textContent ?? '');
    status.textContent = 'Copied.';
  } catch {
    getSelection()?.selectAllChildren(tag);
    status.textContent = 'Your browser does not allow copying; the tag is selected.';
  }
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', update);
// The form is cleared after the event.
form.addEventListener('reset', () => setTimeout(update));
page.addEventListener('input', update);
frame.addEventListener('load', update);
document.querySelector('#copy')!.addEventListener('click', () => void copy());
update();
