/** Whether a row of a data set is kept aside: a fifth of them, by the id alone. Detectors are not trained on these. */
export const isHeldOut = (id: string): boolean => hashOf(id) % 5 === 0;

/** FNV-1a, mixed: an order of ids that has nothing to do with theirs. */
export function hashOf(id: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
