import { RefusedDocument } from './document-types.js';

/**
 * Removes invisible data from a photo: the position, the device, comments and embedded pictures. The pixels stay unchanged. A JPEG
 * keeps its orientation and color profile.
 */

const [START, END, SCAN, EXIF] = [0xd8, 0xd9, 0xda, 0xe1];

/**
 * Application segments to keep, by the beginning of their content. Others with the same marker contain thumbnails and embedded
 * pictures.
 */
const KEPT_APPS = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

/** Optional PNG chunks for colors, size and frames. Required chunks have names that begin with a capital. */
const PNG_KEPT = [
  'cHRM',
  'cICP',
  'cLLI',
  'gAMA',
  'iCCP',
  'mDCV',
  'sBIT',
  'sRGB',
  'bKGD',
  'tRNS',
  'pHYS',
  'acTL',
  'fcTL',
  'fdAT',
];

/**
 * Returns other files unchanged. The document check refuses a file that does not match its name.
 *
 * @throws {RefusedDocument} for a photo whose metadata cannot be parsed
 */
export function withoutMetadata(content: Buffer, contentType: string): Buffer {
  const start = content.toString('latin1', 0, 4);
  const isJpeg = contentType === 'image/jpeg' && start.startsWith('\xff\xd8');
  if (!isJpeg && !(contentType === 'image/png' && start === '\x89PNG')) return content;
  const clean = isJpeg ? jpeg(content) : png(content);
  if (clean) return clean;
  throw new RefusedDocument(`is not a complete ${isJpeg ? 'JPG' : 'PNG'} file`);
}

function jpeg(content: Buffer): Buffer | undefined {
  const parts: Uint8Array[] = [Buffer.from([0xff, START])];
  let at = 2;
  while (at + 2 <= content.length && content[at] === 0xff) {
    const marker = content[at + 1] ?? 0;
    if (marker === END) return Buffer.concat([...parts, Buffer.from([0xff, END])]);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (at + 4 > content.length) return undefined;
    const next = at + 2 + content.readUInt16BE(at + 2);
    const segment = content.subarray(at, next);
    if (marker === EXIF) parts.push(...orientationIn(segment));
    else if (isPixels(marker, segment)) parts.push(segment);
    at = next;
    if (marker !== SCAN) continue;
    const end = endOfScan(content, at);
    parts.push(content.subarray(at, end));
    at = end;
  }
  return undefined;
}

function isPixels(marker: number, segment: Buffer): boolean {
  if (marker < 0xe0 || marker > 0xef) return marker !== 0xfe;
  const start = KEPT_APPS.get(marker);
  return start !== undefined && segment.toString('latin1', 4, 4 + start.length) === start;
}

/** Within a scan, 0xff is data if 0 or a restart marker follows. */
function endOfScan(content: Buffer, from: number): number {
  for (let at = content.indexOf(0xff, from); at >= 0; at = content.indexOf(0xff, at + 1)) {
    const next = content[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return content.length;
}

const ORIENTATION = 0x0112;

/** Returns an Exif segment with only the orientation; none for the default orientation. */
function orientationIn(segment: Buffer): Buffer[] {
  if (segment.subarray(4, 10).toString('latin1') !== 'Exif\0\0' || segment.length < 20) return [];
  const tiff = segment.subarray(10);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let index = 0; index < Math.min(short(directory), 100); index++) {
    const entry = directory + 2 + 12 * index;
    const value = short(entry + 8);
    if (short(entry) !== ORIENTATION || value < 2 || value > 8) continue;
    const head = 'ffe10022457869660000' + '4d4d002a00000008' + '0001' + '0112000300000001';
    return [Buffer.from(`${head}000${value}000000000000`, 'hex')];
  }
  return [];
}

function png(content: Buffer): Buffer | undefined {
  const parts = [content.subarray(0, 8)];
  for (let at = 8; at + 12 <= content.length; ) {
    const next = at + 12 + content.readUInt32BE(at);
    const type = content.toString('latin1', at + 4, at + 8);
    if (next > content.length) return undefined;
    if (/^[A-Z]/.test(type) || PNG_KEPT.includes(type)) parts.push(content.subarray(at, next));
    if (type === 'IEND') return Buffer.concat(parts);
    at = next;
  }
  return undefined;
}
