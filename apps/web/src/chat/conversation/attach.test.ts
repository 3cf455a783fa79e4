import { uploadRule } from '@millrace/contracts/portal-input';
import { describe, expect, it, vi } from 'vitest';
import { place, readFile, toAcceptAttribute, type UploadField } from './attach.ts';

const uploads = { file_upload_enabled: true, file_config: {} };
const fileField = (key: string): UploadField => {
  const field = { key, defaultValue: null, type: 'file' } as const;
  const rule = uploadRule(uploads, field);
  if (!rule) throw new Error('a field for files takes some');
  return { field, rule };
};
const text: UploadField = {
  field: { key: 'text', defaultValue: null },
  rule: { allowed_types: ['text'], max_bytes: 100 },
};
const [front, back] = [fileField('front'), fileField('back')];

const picture = (name: string, bytes = 3) => new File([new Uint8Array(bytes)], name, { type: 'image/png' });
const note = new File(['seen'], 'note.md');

const listFieldKeys = (placed: ReturnType<typeof place>) => placed.map(({ upload }) => upload?.field.key);

describe('files of a message', () => {
  it('that come together go to a field each, as long as one is empty', () => {
    const pictures = [picture('1.png'), picture('2.png')];
    expect(listFieldKeys(place([text, front, back], [], pictures))).toEqual(['front', 'back']);
    expect(listFieldKeys(place([text, front, back], ['front'], pictures))).toEqual(['back', 'front']);
  });

  it('go into the text when they are texts and no other field is empty', () => {
    expect(listFieldKeys(place([text, front], [], [note]))).toEqual(['front']);
    expect(listFieldKeys(place([text, front], ['front'], [note]))).toEqual(['text']);
    expect(listFieldKeys(place([text], [], [picture('1.png')]))).toEqual([undefined]);
  });

  it('are not made smaller where the type of smaller pictures is not taken', async () => {
    const makeSmaller = vi.fn();
    vi.stubGlobal('createImageBitmap', makeSmaller);
    const strict = { ...front, rule: { allowed_types: ['image/png'], max_bytes: 10 } };
    expect(await readFile(picture('1.png', 11), strict, () => undefined)).toEqual({
      problem: 'attach_too_big',
    });
    expect(makeSmaller).not.toHaveBeenCalled();
    vi.unstubAllGlobals();
    expect(await readFile(picture('1.png'), text, () => undefined)).toEqual({ problem: 'attach_wrong_type' });
  });

  it.each([
    ['of a text have other bytes', new Uint8Array([0xff, 0xfe, 0x00]), undefined, 'attach_wrong_type'],
    ['cannot be read', undefined, new DOMException('gone', 'NotFoundError'), 'attach_unreadable'],
  ])('that %s are refused for that reason', async (_, bytes, error, problem) => {
    vi.stubGlobal(
      'FileReader',
      class extends EventTarget {
        readonly result = bytes?.buffer;
        readonly error = error;
        readAsArrayBuffer() {
          queueMicrotask(() => this.dispatchEvent(new Event(error ? 'error' : 'load')));
        }
      },
    );
    expect(await readFile(note, text, () => undefined)).toEqual({ problem });
    vi.unstubAllGlobals();
  });

  it('are offered by the browser as far as the field takes them', () => {
    expect(toAcceptAttribute(front)).toMatch(/^text\/\*,.*,image\/\*,application\/pdf$/);
    expect(toAcceptAttribute({ ...front, rule: { allowed_types: ['any'], max_bytes: 1 } })).toBeUndefined();
  });
});
