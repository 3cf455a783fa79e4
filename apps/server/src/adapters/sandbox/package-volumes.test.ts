import { expect, test } from 'vitest';
import { deriveVolumeName } from './containers/container-sandbox.ts';

const images = { python: 'python:3', javascript: 'node:22', browser: 'missing/browser:1' };
const volume = (requirements: readonly string[], network: readonly string[] = [], installation = 'one') =>
  deriveVolumeName(
    { installation, images, forwarded: { locale: [], network, authorities: undefined } },
    { language: 'python', requirements },
  );

test('§8.4 packages are kept for the same image, requirements and registry, regardless of their order', () => {
  const kept = volume(['a==1', 'b==2'], ['PIP_INDEX_URL=https://one.example']);
  expect(volume(['b==2', 'a==1'], ['PIP_INDEX_URL=https://one.example', 'NPM_CONFIG_REGISTRY=x'])).toBe(kept);
  expect(volume(['a==1'], ['PIP_INDEX_URL=https://one.example'])).not.toBe(kept);
  expect(volume(['a==1', 'b==2'], ['PIP_INDEX_URL=https://other.example'])).not.toBe(kept);
  expect(volume(['a==1', 'b==2'])).not.toBe(kept);
  expect(volume(['a==1', 'b==2'], ['PIP_INDEX_URL=https://one.example'], 'other')).not.toBe(kept);
});
