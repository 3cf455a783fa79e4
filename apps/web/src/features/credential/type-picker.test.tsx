import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { TypePicker } from './type-picker.tsx';

afterEach(cleanup);

const show = () =>
  showInEditor({ nodes: [], edges: [] }, <TypePicker accepted={undefined} onPick={vi.fn()} />);

test('a type whose title names no brand has it below the title', async () => {
  await show();
  await screen.findByRole('textbox', { name: 'Find a service' });
  expect(screen.getByRole('button', { name: /^Workspace chat\s*Slack$/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: /^Note-taking workspace\s*Notion$/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'PostgreSQL' })).toBeTruthy();
});

test('a type is found by its brand', async () => {
  await show();
  fireEvent.change(await screen.findByRole('textbox', { name: 'Find a service' }), {
    target: { value: 'minio' },
  });
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toContain(
    'Object storageAmazon S3, MinIO',
  );
});
