import { describe, expect, it } from 'vitest';
import { RefusedDocument } from '../../../../src/partners/documents/document-types.js';
import { withoutMetadata } from '../../../../src/partners/documents/photo-metadata.js';
import { CLEAN_PHOTO, PHOTO } from '../../../rigs/documents/photo.js';

const chunk = (type: string, content: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, Buffer.from(type + content), Buffer.from('crc!')]);
};
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

describe('the metadata of a photo', () => {
  it('is removed from a JPEG, but for its orientation and its colors', () => {
    expect(withoutMetadata(PHOTO, 'image/jpeg').toString('latin1')).toBe(CLEAN_PHOTO.toString('latin1'));
  });

  // Alone catches the photo that most cameras make: no byte is behind its end.
  it.each([
    [
      'begins with a thumbnail',
      Buffer.concat([
        PHOTO.subarray(0, 2),
        Buffer.from('ffe0000a4a46585800107468', 'hex'),
        PHOTO.subarray(2),
      ]),
    ],
    ['ends with its end', PHOTO.subarray(0, PHOTO.indexOf('ffd9', 'hex') + 2)],
    [
      'has fill bytes before a marker',
      Buffer.concat([PHOTO.subarray(0, 2), Buffer.from('ffff', 'hex'), PHOTO.subarray(2)]),
    ],
  ])('is removed from a JPEG that %s', (_, photo) => {
    expect(withoutMetadata(photo, 'image/jpeg').toString('latin1')).toBe(CLEAN_PHOTO.toString('latin1'));
  });

  it('is removed from a PNG, with what is behind it', () => {
    const pixels = [chunk('IHDR', 'size'), chunk('IDAT', 'pixels'), chunk('IEND', '')];
    const [head, data, end] = pixels as [Buffer, Buffer, Buffer];
    const said = [
      chunk('tEXt', 'GPS'),
      chunk('eXIf', 'GPS'),
      chunk('iTXt', 'GPS'),
      chunk('tIME', 'GPS'),
      chunk('caBX', 'GPS'),
    ];
    const photo = Buffer.concat([SIGNATURE, head, ...said, data, end, Buffer.from('%PDF-1.7 behind')]);
    expect(withoutMetadata(photo, 'image/png')).toEqual(Buffer.concat([SIGNATURE, ...pixels]));
  });

  it.each([
    ['without a beginning', Buffer.from('GPS')],
    ['empty', Buffer.alloc(0)],
  ])('stays in a file that is %s, which the check of documents refuses', (_, content) => {
    expect(withoutMetadata(content, 'image/jpeg')).toBe(content);
  });

  it.each([
    ['JPEG that is cut off', 'image/jpeg', PHOTO.subarray(0, 60)],
    [
      'JPEG with a segment longer than the file',
      'image/jpeg',
      Buffer.from('ffd8ffe1ffff457869660000ffd9', 'hex'),
    ],
    ['JPEG with a segment of no length', 'image/jpeg', Buffer.from('ffd8ffe10000ffd9', 'hex')],
    [
      'PNG with a chunk longer than the file',
      'image/png',
      Buffer.concat([SIGNATURE, Buffer.from('ffffffff', 'hex')]),
    ],
    ['PNG without its end', 'image/png', Buffer.concat([SIGNATURE, chunk('eXIf', 'GPS')])],
  ])('is not stored with a %s', (_, type, content) => {
    expect(() => withoutMetadata(content, type)).toThrow(RefusedDocument);
  });

  it('is looked for in a time that grows with the file alone', () => {
    const scan = Buffer.alloc(8 * 1024 * 1024, 0xff);
    const began = performance.now();
    const photo = Buffer.concat([Buffer.from('ffd8ffda0002', 'hex'), scan]);
    expect(() => withoutMetadata(photo, 'image/jpeg')).toThrow(RefusedDocument);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
