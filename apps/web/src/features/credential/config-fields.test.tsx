import { credentialType } from '@millrace/nodes/credentials';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { ConfigFields } from './config-fields.tsx';

afterEach(cleanup);

/** The form of a stored credential with an optional secret. */
function Form({ onChange }: { onChange: (name: string, value: unknown) => void }) {
  const [values, setValues] = useState<Record<string, unknown>>({ password: '' });
  const type = credentialType('clickhouse');
  if (!type) throw new Error('no such type');
  return (
    <ConfigFields
      type={type}
      values={values}
      errors={{}}
      shown={{}}
      onChange={(name, value) => {
        onChange(name, value);
        setValues((before) => ({ ...before, [name]: value }));
      }}
    />
  );
}

test('an optional secret that is stored is removed by a button, and kept by another click', async () => {
  const onChange = vi.fn();
  await showInEditor({ nodes: [], edges: [] }, <Form onChange={onChange} />);
  const field = await screen.findByLabelText<HTMLInputElement>(/^Password/);
  expect(field.placeholder).toBe('stored – leave blank to keep');
  fireEvent.click(screen.getByRole('button', { name: 'Remove Password' }));
  expect(onChange).toHaveBeenLastCalledWith('password', null);
  expect(field.placeholder).toBe('removed when you save');
  expect(field.disabled).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Keep Password' }));
  expect(onChange).toHaveBeenLastCalledWith('password', '');
  expect(field.disabled).toBe(false);
});
