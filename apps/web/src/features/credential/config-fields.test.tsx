import { credentialType } from '@millrace/nodes/credentials';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { ConfigFields } from './config-fields.tsx';
import { initialValues, type StoredConfig } from './config-form.ts';

afterEach(cleanup);

interface FormProps {
  type?: string;
  stored: StoredConfig;
  onChange: (name: string, value: unknown) => void;
}

/** The form of a stored credential. */
function Form({ type: name = 'clickhouse', stored, onChange }: FormProps) {
  const type = credentialType(name);
  if (!type) throw new Error('no such type');
  const [values, setValues] = useState<Record<string, unknown>>(initialValues(type, stored));
  return (
    <ConfigFields
      type={type}
      values={values}
      errors={{}}
      stored={stored}
      onChange={(name, value) => {
        onChange(name, value);
        setValues((before) => ({ ...before, [name]: value }));
      }}
    />
  );
}

test('an optional secret that is stored is removed by a button, and kept by another click', async () => {
  const onChange = vi.fn();
  await showInEditor(
    { nodes: [], edges: [] },
    <Form stored={{ public_fields: {}, withheld_fields: ['password'] }} onChange={onChange} />,
  );
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

test('an address that was never stored cannot be removed, one that is withheld can', async () => {
  const onChange = vi.fn();
  const never = { public_fields: {}, withheld_fields: ['api_key'] };
  await showInEditor({ nodes: [], edges: [] }, <Form type="github" stored={never} onChange={onChange} />);
  const blank = await screen.findByLabelText<HTMLInputElement>(/^Base URL/);
  expect(blank.placeholder).toBe('https://');
  expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  cleanup();
  const withheld = { public_fields: {}, withheld_fields: ['api_key', 'base_url'] };
  await showInEditor({ nodes: [], edges: [] }, <Form type="github" stored={withheld} onChange={onChange} />);
  const field = await screen.findByLabelText<HTMLInputElement>(/^Base URL/);
  expect(field.placeholder).toBe('stored – leave blank to keep');
  fireEvent.click(screen.getByRole('button', { name: 'Remove Base URL' }));
  expect(onChange).toHaveBeenLastCalledWith('base_url', null);
  expect(field.disabled).toBe(true);
});

test('a shown address that is kept after all comes back', async () => {
  const onChange = vi.fn();
  const stored = { public_fields: { base_url: 'https://git.example' }, withheld_fields: ['api_key'] };
  await showInEditor({ nodes: [], edges: [] }, <Form type="github" stored={stored} onChange={onChange} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Remove Base URL' }));
  const field = screen.getByLabelText<HTMLInputElement>(/^Base URL/);
  expect([field.value, field.placeholder]).toEqual(['', 'removed when you save']);
  fireEvent.click(screen.getByRole('button', { name: 'Keep Base URL' }));
  expect(field.value).toBe('https://git.example');
});
