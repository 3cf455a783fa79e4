import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { showForm } from '../../testing/show-form.tsx';

afterEach(cleanup);

async function showRequest(curl: string) {
  const data = { label: 'request', curl };
  const parameter = await showForm({
    nodes: [{ id: 'n', type: 'http', position: { x: 0, y: 0 }, data }],
    edges: [],
  });
  return () => String(parameter('curl')).replaceAll(' \\\n ', '');
}

async function choose(name: string, option: string): Promise<void> {
  const select = await screen.findByRole('combobox', { name }, { timeout: 15_000 });
  act(() => select.focus());
  act(() => void fireEvent.keyDown(select, { key: 'ArrowDown' }));
  const chosen = await screen.findByRole('option', { name: option });
  act(() => void fireEvent.keyDown(chosen, { key: 'Enter' }));
}

const type = (name: string, text: string) =>
  act(() => void fireEvent.change(screen.getByRole('textbox', { name }), { target: { value: text } }));

test('a field of a form is a text or a file, which can have another name and type', async () => {
  const command = await showRequest("curl --form-string 'doc=$upload.file' https://a.example");
  await choose('Kind of field 1', 'File');
  expect(command()).toBe("curl https://a.example -F 'doc=@$upload.file'");
  expect(screen.getByLabelText('File of field 1').textContent).toBe('$upload.file');
  type('File name of field 1', 'a;b.csv');
  type('Content type of field 1', 'text/csv');
  expect(command()).toBe("curl https://a.example -F 'doc=@$upload.file;type=text/csv;filename=a;b.csv'");
  await choose('Kind of field 1', 'Text');
  expect(command()).toBe("curl https://a.example -F 'doc=$upload.file;type=text/csv;filename=a;b.csv'");
});

test('a pasted command with files is shown as a form with files', async () => {
  await showRequest("curl -F 'a=1' -F 'doc=@$made;filename=x.pdf' https://a.example");
  const body = await screen.findByRole('combobox', { name: 'Body' }, { timeout: 15_000 });
  expect(body.textContent).toContain('Form with files');
  const kind = (row: number) => screen.getByRole('combobox', { name: `Kind of field ${row}` }).textContent;
  expect([kind(1), kind(2)]).toEqual([expect.stringContaining('Text'), expect.stringContaining('File')]);
  expect(screen.getByLabelText('Value of field 1').textContent).toBe('1');
  expect(screen.getByLabelText('File of field 2').textContent).toBe('$made');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'File name of field 2' }).value).toBe('x.pdf');
});

test('a body that is a file has that file and its type', async () => {
  const command = await showRequest("curl --data-binary '@$made' https://a.example");
  expect((await screen.findByLabelText('File', {}, { timeout: 15_000 })).textContent).toBe('$made');
  await choose('Method', 'PUT');
  expect(command()).toBe("curl -X PUT https://a.example --data-binary '@$made'");
  await choose('Body', 'None');
  await choose('Body', 'File');
  expect(command()).toBe("curl -X PUT https://a.example --data-binary '@$made'");
});

test('fields and files of a kind that was left come back with it', async () => {
  const written = "curl https://a.example -F 'doc=@$upload.file;type=text/csv'";
  const command = await showRequest(written);
  await choose('Body', 'Form');
  expect(command()).not.toBe(written);
  await choose('Body', 'JSON');
  await choose('Body', 'Form with files');
  expect(command()).toBe(written);
});
