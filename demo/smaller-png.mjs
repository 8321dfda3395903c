import { crc32, deflateSync, inflateSync } from 'node:zlib';

const COLOURS = 256;

/**
 * Reduces a PNG to a palette of 256 colours. A README's pictures are loaded by every reader of it and by every clone (each at most
 * 150,000 bytes, test/readme): as Chromium writes them they are 153 to 201 kB at scale 1, with a palette 60 to 136 kB at 1.5 and 2.
 * @param {Buffer} png 8 bits a channel, RGB or RGBA, not interlaced, as Chromium writes it
 */
export function smallerPng(png) {
  const { width, height, channels, filtered } = read(png);
  const pixels = unfiltered(filtered, width * channels, channels);
  const { palette, indexOf } = paletteOf(pixels, channels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at++) {
    rows[at + Math.floor(at / width) + 1] = indexOf.get(pixels.readUIntBE(at * channels, 3)) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const parts = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([png.subarray(0, 8), ...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** @param {Buffer} png */
function read(png) {
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const channels = png[25] === 6 ? 4 : 3;
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    channels,
    filtered: inflateSync(Buffer.concat(data)),
  };
}

/** @param {Buffer} filtered @param {number} stride bytes a row @param {number} channels */
function unfiltered(filtered, stride, channels) {
  const rows = filtered.length / (stride + 1);
  const out = Buffer.alloc(rows * stride);
  for (let at = 0; at < out.length; at++) {
    const row = Math.floor(at / stride);
    const inside = at % stride >= channels;
    const left = inside ? out.readUInt8(at - channels) : 0;
    const above = row ? out.readUInt8(at - stride) : 0;
    const corner = inside && row ? out.readUInt8(at - stride - channels) : 0;
    const guesses = [0, left, above, (left + above) >> 1, paeth(left, above, corner)];
    const guess = guesses[filtered.readUInt8(row * (stride + 1))] ?? 0;
    out[at] = filtered.readUInt8(at + row + 1) + guess;
  }
  return out;
}

/** @param {number} left @param {number} above @param {number} corner */
function paeth(left, above, corner) {
  /** @param {number} one */
  const away = (one) => Math.abs(left + above - corner - one);
  if (away(left) <= away(above) && away(left) <= away(corner)) return left;
  return away(above) <= away(corner) ? above : corner;
}

/** Median cut: the box of colours that errs most is halved until there are enough. @param {Buffer} pixels @param {number} channels */
function paletteOf(pixels, channels) {
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const boxes = [boxOf([...counts].map(([colour, count]) => ({ colour, count })))];
  while (boxes.length < COLOURS) {
    const worst = boxes.reduce((one, other) => (other.error > one.error ? other : one));
    if (worst.error === 0) break;
    boxes.splice(boxes.indexOf(worst), 1, ...halves(worst));
  }
  const indexOf = new Map(boxes.flatMap(({ colours }, index) => colours.map(({ colour }) => [colour, index])));
  return { palette: Buffer.from(boxes.flatMap(({ mean }) => mean)), indexOf };
}

/** @param {number} colour @param {number} channel 0 to 2 */
const part = (colour, channel) => (colour >> (16 - 8 * channel)) & 255;

/** @param {{ colour: number, count: number }[]} colours */
function boxOf(colours) {
  const total = colours.reduce((sum, { count }) => sum + count, 0);
  const channels = [0, 1, 2].map((channel) => {
    const mean = colours.reduce((sum, { colour, count }) => sum + part(colour, channel) * count, 0) / total;
    const error = colours.reduce((sum, { colour, count }) => sum + (part(colour, channel) - mean) ** 2 * count, 0);
    return { channel, mean, error };
  });
  const widest = channels.reduce((one, other) => (other.error > one.error ? other : one));
  return { colours, mean: channels.map(({ mean }) => Math.round(mean)), widest, error: widest.error };
}

/** @param {ReturnType<typeof boxOf>} box */
function halves({ colours, widest: { channel, mean } }) {
  const low = colours.filter(({ colour }) => part(colour, channel) <= mean);
  const high = colours.filter(({ colour }) => part(colour, channel) > mean);
  return [boxOf(low), boxOf(high)];
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const length = Buffer.alloc(4);
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
