/** Titles that programs write into a document for want of one. */

/** What printing from Office puts before the name of the document. */
const PRINTED = /^Microsoft (?:Word|PowerPoint|Excel) - /;
const PLACEHOLDER =
  /^\(?(?:untitled(?: ?-? ?(?:document|page|presentation|spreadsheet|design))?|no title|ohne titel|unbenannt(?:es dokument)?|sans titre|document(?: sans titre)?|sin t[ií]tulo|senza titolo|sem t[ií]tulo|naamloos|dokument|(?:microsoft )?word[- ]document|powerpoint[- ]presentation|presentation|slide|title)(?:[ -]?\d+)?\)?$/i;
/** A scheme or a host with a path, and no space: a page printed without a title. */
const ADDRESS =
  /^(?:(?:https?|ftp|file):|(?:about|data|blob):\S|www\.|localhost[:/]|[\w-]+(?:\.[\w-]+)+(?::\d+)?\/)\S*$/i;
const PATH = /^(?:[a-z]:\\|\\\\|file:|~?\/[^\s/]+\/(?:.*\/)?[^/]+\.\w{1,5}$)/i;
const DOCUMENT = String.raw`\.(?:docx?|odt|rtf|pages|pptx?|odp|xlsx?|ods|pdf|indd|qxd|tex|dvi|ps|html?)`;
/** With spaces where the name was printed. */
const [FILE, PRINTED_FILE] = [new RegExp(String.raw`^\S+${DOCUMENT}$`, 'i'), new RegExp(`${DOCUMENT}$`, 'i')];

/** The title of a document; '' where it names nothing: a placeholder, an address, a path or a file. */
export function titleIn(text: string): string {
  const title = text.replace(/\s+/g, ' ').trim();
  const rest = title.replace(PRINTED, '');
  const isFile = (rest === title ? FILE : PRINTED_FILE).test(rest);
  return isFile || [PLACEHOLDER, ADDRESS, PATH].some((junk) => junk.test(rest)) ? '' : rest;
}
