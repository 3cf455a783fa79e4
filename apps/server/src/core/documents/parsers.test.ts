import { buffer } from 'node:stream/consumers';
import mammoth from 'mammoth';
import { afterEach, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { htmlOfWord } from './parsers.ts';

afterEach(() => vi.restoreAllMocks());

/** Of the central directory and of its field (APPNOTE.TXT section 4.3.12). */
const SIGNATURE = Buffer.from('PK\x01\x02', 'latin1');
const UNCOMPRESSED_SIZE_AT = 24;

async function wordFile(content: Buffer, declared = content.length): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(content, 'word/document.xml');
  zip.end();
  const bytes = await buffer(zip.outputStream);
  bytes.writeUInt32LE(declared, bytes.indexOf(SIGNATURE) + UNCOMPRESSED_SIZE_AT);
  return bytes;
}

test('a Word file that unpacks to more than it declares is refused before it is unpacked into memory', async () => {
  const read = vi.spyOn(mammoth, 'convertToHtml').mockResolvedValue({ value: '<p>text</p>', messages: [] });
  const content = Buffer.alloc(1024 * 1024, 'x');
  expect(await htmlOfWord(await wordFile(content))).toBe('<p>text</p>');
  await expect(htmlOfWord(await wordFile(content, 100))).rejects.toThrow(/too many bytes/);
  await expect(htmlOfWord(await wordFile(content, 300 * 1024 * 1024))).rejects.toThrow(
    'too large when unpacked',
  );
  expect(read).toHaveBeenCalledTimes(1);
});
