import { readHosts } from './hosts.ts';
import type { Preview } from './preview.ts';
import { snippet, storeRequest } from './snippet.ts';
import style from './playground.css?inline';

/** Debounce of the preview, since each change replaces the widget. */
const PREVIEW_DEBOUNCE_MS = 200;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const form = document.querySelector('form')!;
const frame = document.querySelector('iframe')!;
const pageKind = document.querySelector<HTMLSelectElement>('#page')!;
const tag = document.querySelector('#snippet')!;
const status = document.querySelector('#said')!;
const stored = document.querySelector<HTMLElement>('#stored')!;
const request = document.querySelector('#store')!;
const control = (name: string): Control => form.elements.namedItem(name) as Control;

/** The initial values of the form are the widget's defaults. */
function isDefault(control: Control): boolean {
  if (control instanceof HTMLSelectElement) return control.selectedOptions[0]?.defaultSelected ?? true;
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return !control.checked;
  return control.value === control.defaultValue;
}

/** The settings that differ from the defaults, by the names of their attributes. */
function readForm(): Record<string, string> {
  const settings: Record<string, string> = {};
  const suggestions: string[] = [];
  for (const control of Array.from(form.elements) as Control[]) {
    const { name, value } = control;
    if (!name || name === 'chatbot' || name === 'link-hosts' || isDefault(control) || !control.checkValidity())
      continue;
    // `|` separates suggestions in the attribute.
    if (name === 'suggestions') suggestions.push(value.replaceAll('|', '/').trim());
    else if (name === 'icon' && value === 'image') continue;
    else if (control.matches(':enabled'))
      settings[name === 'image' ? 'icon' : name] = /open|sound/.test(name) ? '' : value.trim();
  }
  const joined = suggestions.filter(Boolean).join('|');
  return joined ? { ...settings, suggestions: joined } : settings;
}

/** Checks a list of hosts as the API does. */
function checkHosts(name: string): string[] {
  const hosts = readHosts(control(name).value);
  control(name).setCustomValidity(hosts ? '' : 'At most 50 host names alone, such as cdn.example.com or *.example.com');
  return hosts ?? [];
}

/** No page has the hosts of links: the server keeps them. */
function showRequest(link_hosts: string[]): void {
  stored.hidden = link_hosts.length === 0;
  request.textContent = storeRequest(location.origin, control('chatbot').value.trim(), { link_hosts });
}

let timer: ReturnType<typeof setTimeout> | undefined;

function update(): void {
  (control('image') as HTMLInputElement).disabled = control('icon').value !== 'image';
  checkHosts('image-hosts');
  showRequest(checkHosts('link-hosts'));
  const settings = readForm();
  tag.textContent = snippet(location.origin, control('chatbot').value.trim(), settings);
  status.textContent = '';
  frame.classList.toggle('phone', pageKind.value === 'phone');
  clearTimeout(timer);
  timer = setTimeout(
    () => (frame.contentWindow as Preview | null)?.show?.(settings, pageKind.value),
    PREVIEW_DEBOUNCE_MS,
  );
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
// The event comes before the form has its initial values.
form.addEventListener('reset', () => setTimeout(update));
pageKind.addEventListener('input', update);
frame.addEventListener('load', update);
document.querySelector('#copy')!.addEventListener('click', () => void copy());
update();
