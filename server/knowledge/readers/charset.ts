import { setImmediate } from 'node:timers/promises';

/** Bytes decoded between two turns of the event loop. */
const SLICE_BYTES = 128 * 1024;

/** Decodes by byte order mark, `header`, `<meta charset>`, else as UTF-8, else as Windows-1252. */
export async function decode(body: Uint8Array, header: string | undefined): Promise<string> {
  const declared = markOf(body) ?? decoderOf(header) ?? decoderOf(metaCharset(body));
  if (declared) return inSlices(declared, body);
  try {
    return await inSlices(new TextDecoder('utf-8', { fatal: true }), body);
  } catch {
    return inSlices(new TextDecoder('windows-1252'), body);
  }
}

async function inSlices(decoder: TextDecoder, body: Uint8Array): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    if (at > 0) await setImmediate();
    parts.push(decoder.decode(body.subarray(at, at + SLICE_BYTES), { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

function markOf([a, b, c]: Uint8Array): TextDecoder | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder('utf-8');
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be');
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le');
  return undefined;
}

/** `<meta charset="…">` or `<meta http-equiv=… content="…; charset=…">` near the start. */
function metaCharset(body: Uint8Array): string | undefined {
  const start = new TextDecoder('windows-1252').decode(body.subarray(0, 2048));
  const label = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  // The label was found by reading bytes as ASCII, so the page is not UTF-16.
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
