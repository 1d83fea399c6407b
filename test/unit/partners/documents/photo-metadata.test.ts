import { describe, expect, it } from 'vitest';
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

  it('is removed from a PNG, with what is behind it', () => {
    const pixels = [chunk('IHDR', 'size'), chunk('IDAT', 'pixels'), chunk('IEND', '')];
    const [head, data, end] = pixels as [Buffer, Buffer, Buffer];
    const said = [chunk('tEXt', 'GPS'), chunk('eXIf', 'GPS'), chunk('iTXt', 'GPS'), chunk('tIME', 'GPS')];
    const photo = Buffer.concat([SIGNATURE, head, ...said, data, end, Buffer.from('%PDF-1.7 behind')]);
    expect(withoutMetadata(photo, 'image/png')).toEqual(Buffer.concat([SIGNATURE, ...pixels]));
  });

  it.each([
    ['cut off', PHOTO.subarray(0, 60)],
    ['without a beginning', Buffer.from('GPS')],
    ['empty', Buffer.alloc(0)],
    ['with a segment longer than the file', Buffer.from('ffd8ffe1ffff4578696600004d4d', 'hex')],
    ['with a segment of no length', Buffer.from('ffd8ffe10000ffd9', 'hex')],
  ])('stays in a file that is %s, which the check of documents refuses', (_, content) => {
    expect(withoutMetadata(content, 'image/jpeg')).toBe(content);
  });

  it('is looked for in a time that grows with the file alone', () => {
    const scan = Buffer.alloc(8 * 1024 * 1024, 0xff);
    const began = performance.now();
    withoutMetadata(Buffer.concat([Buffer.from('ffd8ffda0002', 'hex'), scan]), 'image/jpeg');
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
