const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');

/** The scan has a byte 0xff of its own, a restart marker, and a second scan behind it. */
const PIXELS = Buffer.concat([
  segment(0xda, bytes('00 00 00')),
  bytes('11 22 ff 00 33 ff d0 44'),
  segment(0xda, bytes('00 00 01')),
  bytes('55'),
]);

/** A photo that lies on its side. It tells a position and a comment, and has another picture behind the first one. */
export const PHOTO = Buffer.concat([
  bytes('ff d8'),
  segment(
    0xe1,
    Buffer.concat([
      EXIF,
      bytes('49 49 2a 00 08 00 00 00 01 00 12 01 03 00 01 00 00 00 06 00 00 00'),
      Buffer.from('GPS 47.3769 8.5417'),
    ]),
  ),
  segment(0xe2, Buffer.from('MPF\0 index')),
  segment(0xe2, Buffer.from('ICC_PROFILE\0 colors')),
  segment(0xfe, Buffer.from('secret')),
  PIXELS,
  bytes('ff d9'),
  bytes('ff d8'),
  segment(0xe1, Buffer.concat([EXIF, Buffer.from('GPS 47.3769 8.5417')])),
  bytes('ff d9'),
]);

/** The same with its pixels, its colors and its orientation alone. */
export const CLEAN_PHOTO = Buffer.concat([
  bytes('ff d8'),
  segment(
    0xe1,
    Buffer.concat([
      EXIF,
      bytes('4d 4d 00 2a 00 00 00 08 00 01 01 12 00 03 00 00 00 01 00 06 00 00 00 00 00 00'),
    ]),
  ),
  segment(0xe2, Buffer.from('ICC_PROFILE\0 colors')),
  PIXELS,
  bytes('ff d9'),
]);
