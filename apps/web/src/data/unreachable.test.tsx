import { me } from '@millrace/contracts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LanguageProvider } from '../i18n/provider.tsx';
import { usePreferences } from '../session/preferences.ts';
import { LoadFailed } from '../ui/display/empty-state.tsx';
import { api } from './api.ts';

const failure = () => api(me, {}).catch((error: unknown) => error as Error);

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  usePreferences.getState().change({ locale: 'en' });
});

describe('a request without an answer', () => {
  it.each([
    ['en', 'The server cannot be reached.'],
    ['de', 'Der Server ist nicht erreichbar.'],
  ] as const)('is explained in the language in use: %s', async (locale, text) => {
    usePreferences.getState().change({ locale });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    const error = (await failure()) as Error;
    render(
      <LanguageProvider>
        <LoadFailed error={error} onRetry={() => undefined} />
      </LanguageProvider>,
    );
    expect((await screen.findByRole('alert')).textContent).toContain(text);
    expect(screen.queryByText(/Failed to fetch/)).toBeNull();
  });

  it('that was stopped stays what it is', async () => {
    const stopped = new DOMException('stopped', 'AbortError');
    vi.stubGlobal('fetch', () => Promise.reject(stopped));
    expect(await failure()).toBe(stopped);
  });
});
