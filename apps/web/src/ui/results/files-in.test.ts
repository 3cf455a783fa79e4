import { expect, it } from 'vitest';
import { filesIn } from './files-in.ts';

const HERE = 'https://flows.example.org/runs';
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const file = (part: object) => ({ file_id: 'f1', filename: 'a.csv', mime_type: 'text/csv', ...part });

it('finds files and pictures at any depth, each once', () => {
  const stored = file({ download_url: '/api/files/dl/abc' });
  const drawn = file({ filename: 'p.png', mime_type: 'image/png', download_url: '/api/files/dl/p' });
  expect(filesIn({ one: { file: stored }, many: [stored, drawn], picture: { data: PIXEL } }, HERE)).toEqual([
    { name: 'a.csv', href: 'https://flows.example.org/api/files/dl/abc', isImage: false },
    { name: 'p.png', href: 'https://flows.example.org/api/files/dl/p', isImage: true },
    { name: 'data', href: PIXEL, isImage: true },
  ]);
});

it('links to files of other sites and does not load their pictures', () => {
  const far = file({ mime_type: 'image/png', download_url: 'https://example.com/x.png' });
  expect(filesIn(far, HERE)).toEqual([{ name: 'a.csv', href: 'https://example.com/x.png', isImage: false }]);
});

it('follows no script and nothing that is not an address', () => {
  for (const download_url of ['javascript:alert(1)', 'data:text/html,x', 'https://[', 7, null])
    expect(filesIn(file({ download_url }), HERE)).toEqual([]);
});

it('stops after some files and at a depth', () => {
  const many = Array.from({ length: 50 }, (_, at) => file({ download_url: `/f/${at}` }));
  expect(filesIn(many, HERE)).toHaveLength(20);
  let deep: unknown = file({ download_url: '/f' });
  for (let at = 0; at < 20; at += 1) deep = { deep };
  expect(filesIn(deep, HERE)).toEqual([]);
});

it('shows a generated image once, from the answer and under the name of its file', () => {
  const imageFile = file({ filename: 'image.png', mime_type: 'image/png', download_url: '/api/files/dl/p' });
  const answer = { llm: { image: PIXEL, file: imageFile, model: 'm' } };
  expect(filesIn(answer, HERE)).toEqual([{ name: 'image.png', href: PIXEL, isImage: true }]);
  // A file that only stands beside a picture stays.
  const stored = file({ download_url: '/api/files/dl/abc' });
  expect(filesIn({ image: PIXEL, files: [stored] }, HERE)).toHaveLength(2);
});

it('only offers to save the picture that is shown elsewhere', () => {
  expect(filesIn({ out: { result: PIXEL } }, HERE, PIXEL)).toEqual([
    { name: 'result', href: PIXEL, isImage: false },
  ]);
});
