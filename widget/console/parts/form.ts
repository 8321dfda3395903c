/** The text of a field by its name, without space around it; '' where there is none. */
export type Texts = (name: string) => string;

export const textsOf =
  (data: FormData): Texts =>
  (name) =>
    String(data.get(name) ?? '').trim();

/** Of a form that is sent: calls `act` with what stands in it. */
export const sent =
  (act: (text: Texts, form: HTMLFormElement) => unknown) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    act(textsOf(new FormData(form)), form);
  };

/** The text as a value of the type, where it is one; a wrong one is told by the server. */
export function typed(type: unknown, text: string): unknown {
  if (type === 'string' || text.includes('{{')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
