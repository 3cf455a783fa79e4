import type { SandboxState } from '@millrace/contracts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeContainerEngine } from '../../testing/fake-container-engine.ts';
import { hasSandboxEngine, sandboxSettings } from '../../testing/sandbox-engine.ts';
import { createTestApp } from '../../testing/test-app.ts';

const AWAY = { DOCKER_HOST: 'unix:///canary-folder/docker.sock' };

async function stateWith(env: Record<string, string>): Promise<SandboxState> {
  const app = await createTestApp({ env });
  try {
    expect((await app.call('GET', '/api/config/sandbox')).statusCode, 'for signed-in people').toBe(401);
    const user = await app.user();
    const answer = await user.call('GET', '/api/config/sandbox');
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.body).not.toContain('canary-folder');
    return answer.json<SandboxState>();
  } finally {
    await app.close();
  }
}

describe('§8.4: GET /api/config/sandbox', () => {
  test('says what is missing and how to get it', async () => {
    expect(await stateWith(AWAY)).toEqual({
      status: 'unavailable',
      engine: null,
      problem: expect.stringContaining('Start Docker Engine 25 or newer'),
      browser_problem: null,
      python_tools: 'container',
    });
  });

  test('says what only browsers lack, and how to get it', async () => {
    const engine = await startFakeContainerEngine({ missing_image: 'browser:1' });
    onTestFinished(() => engine.stop());
    const images = { DOCKER_HOST: engine.docker_host, SANDBOX_BROWSER_IMAGE: 'browser:1' };
    expect(await stateWith(images)).toMatchObject({
      status: 'ready',
      problem: null,
      browser_problem: expect.stringContaining('docker pull browser:1'),
    });
  });

  test('names what runs Python tools', async () => {
    const state = await stateWith({ ...AWAY, PLATFORM_PYTHON_TOOL_SANDBOX: 'subprocess' });
    expect(state).toMatchObject({ status: 'unavailable', python_tools: 'subprocess' });
  });

  test.skipIf(!hasSandboxEngine)('names the version of the engine that is ready', async () => {
    expect(await stateWith(sandboxSettings)).toMatchObject({
      status: 'ready',
      engine: expect.stringMatching(/^\d+\./),
      problem: null,
    });
  });
});
