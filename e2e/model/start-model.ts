import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MODEL_ENGINE } from '../../tools/test/services.mjs';

/** Whether the engine is installed (`tools/test/model-engine.sh`); where everything must run, tests fail instead of being skipped. */
export const hasModelEngine = process.env['CI'] === 'true' || existsSync(MODEL_ENGINE);

/** Starts the language model of the tests in a process. Resolves to the base URL of its API. */
export async function startModel(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the model has exited with ${code}`)));
  });
  exited.catch(() => undefined);
  const lines = createInterface(child.stdout);
  const first = new Promise<string>((resolve) => lines.once('line', resolve));
  return { url: await Promise.race([first, exited]), stop: () => child.kill() };
}
