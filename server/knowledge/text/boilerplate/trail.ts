/** Between the parts of a trail of pages: `Home → Jobs`, `Home / Jobs`. */
const SEPARATOR = /\s*[→›»▸▶❯⟩➔➜⇒]+\s*|\s*[/>]\s*|\s(?:[|\\·•–—-]|::)\s/u;
const ARROW = /[→›»▸▶❯⟩➔➜⇒]/u;
/** UTF-16 units. */
const MAX_TRAIL_LENGTH = 200;

/** The parts of a line that may be a trail of pages, two at least; undefined for another line, such as `€20 / night`. */
export function trailIn(line: string): string[] | undefined {
  if (line.length > MAX_TRAIL_LENGTH || line.includes('\n')) return undefined;
  const parts = line.trim().split(SEPARATOR);
  const isSentence = /[.!?…。！？]$/.test(line);
  if (parts.length < 2 || isSentence || (!ARROW.test(line) && /\d/.test(parts.slice(0, -1).join()))) return undefined;
  return parts;
}
