import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { MAX_ATTACHMENT_BYTES } from '../../../../src/partners/boarding/schemas.js';
import { checkDocument, documentName } from '../../../../src/partners/documents/document-types.js';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const PNG = bytes([0x89], 'PNG\r\n', [0x1a], '\n', 'picture', [0, 0, 0, 0], 'IEND', [0xae, 0x42, 0x60, 0x82]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0], 'picture', [0xff, 0xd9]);
const PDF = bytes('%PDF-1.7\n1 0 obj\n%%EOF\n');
const PDF_IN_PNG = Buffer.concat([PNG.subarray(0, 8), bytes('%PDF-1.7 %%EOF'), PNG.subarray(-12)]);
const MORE_IN_PNG = Buffer.concat([PNG, bytes('more')]);
const SCRIPT_IN_PDF = bytes('%PDF-1.7\n<script>alert(1)</script>\n%%EOF');
const ZIP_IN_PDF = bytes('%PDF-1.7\n', 'PK', [5, 6], ' '.repeat(18), '\n%%EOF');

/** What is left of a document that arrives in chunks of this size. */
const through = (name: string, content: Buffer, size = 7) => {
  const chunks = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
    content.subarray(index * size, (index + 1) * size),
  );
  return buffer(checkDocument(name, Readable.from(chunks)));
};

describe('the content of a document', () => {
  it.each([
    ['check.pdf', PDF],
    ['CHECK.PDF', PDF],
    ['check.png', PNG],
    ['check.jpeg', JPEG],
    ['check.jpg', bytes([0xff, 0xd8, 0xff, 0xe0], 'picture', [0xff, 0xd9, 0, 0])],
    ['samsung.jpg', bytes([0xff, 0xd8, 0xff, 0xe1], 'picture', [0xff, 0xd9], 'SEFH records SEFT')],
    ['padded.png', Buffer.concat([PNG, bytes([0, 0])])],
    ['marked.pdf', Buffer.concat([Buffer.from('\ufeff\r\n'), PDF])],
    ['scan.tiff', bytes('II', [0x2a, 0], 'rest')],
    ['note.txt', Buffer.from('Grüße, one\r\n\ttwo')],
    ['sales.csv', Buffer.from('month,sales\n1,2\n')],
  ])('%s passes unchanged', async (name, content) => {
    expect(await through(name, content)).toEqual(content);
  });

  it.each<[string, string, Buffer, string]>([
    ['a program', 'check.pdf', bytes('MZ program'), 'does not match its name'],
    ['a picture of another type', 'check.png', JPEG, 'Its content is JPG.'],
    ['a PDF that is called text', 'note.txt', PDF, 'Its content is PDF.'],
    [
      'a PDF behind something else',
      'check.pdf',
      bytes('GIF89a', '%PDF-1.7 %%EOF'),
      'does not match its name',
    ],
    ['a PDF inside a picture', 'check.png', PDF_IN_PNG, 'contains the beginning of another'],
    ['a page with a script in a PDF', 'check.pdf', SCRIPT_IN_PDF, 'contains the beginning of another'],
    ['an archive behind a PDF', 'check.pdf', ZIP_IN_PDF, 'is an archive as well'],
    ['more behind the end of a picture', 'check.png', MORE_IN_PNG, 'data after its end'],
    ['half a picture', 'check.jpg', JPEG.subarray(0, -1), 'is not a complete JPG file'],
    ['text in another encoding', 'note.txt', bytes('Gr', [0xfc], 'n'), 'is not UTF-8 text'],
    ['text that ends in the middle of a character', 'note.txt', bytes('Gr', [0xc3]), 'is not UTF-8 text'],
    ['text with control characters', 'sales.csv', bytes('a', [0], 'b'), 'control characters'],
    ['nothing', 'note.txt', Buffer.alloc(0), 'is empty'],
  ])('(%s) is refused', async (_, name, content, why) => {
    await expect(through(name, content)).rejects.toThrow(why);
  });

  it('in chunks of a byte is examined in blocks', async () => {
    const content = Buffer.alloc(200_000, 'a');
    const letters = Readable.from([...content].map((letter) => Buffer.of(letter)));
    const blocks = await checkDocument('note.txt', letters).toArray();
    expect(blocks.map(({ length }) => length)).toEqual([66_000, 66_000, 66_000, 2_000]);
  });

  it('is refused when it is larger than a partner takes, as soon as it is', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('%PDF-1.7\n');
        for (;;) {
          sent += 1;
          yield Buffer.alloc(1024 * 1024);
        }
      })(),
    );
    await expect(buffer(checkDocument('check.pdf', endless))).rejects.toThrow('is larger than 25 MiB');
    expect(sent).toBeLessThan(MAX_ATTACHMENT_BYTES / 1024 / 1024 + 20);
  });
});

describe('the name of a document', () => {
  it.each([
    ['../../etc/cron.d/job.pdf', 'job.pdf'],
    ['C:\\Users\\ada\\check.pdf', 'check.pdf'],
    ['check\r\nSet-Cookie: a=b.pdf', 'checkSet-Cookie: a=b.pdf'],
    ['check\u202efdp.exe.pdf', 'checkfdp.exe.pdf'],
    ['...hidden.pdf', 'hidden.pdf'],
    [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(196)}.pdf`],
    ['Grüße.PDF', 'Grüße.PDF'],
  ])('%j becomes %j', (value, name) => {
    expect(documentName(value)).toBe(name);
  });

  it.each(['check.exe', 'check', '.pdf', '', '/', 'check.svg'])('%j is refused', (value) => {
    expect(() => documentName(value)).toThrow('only files of these types');
  });
});
