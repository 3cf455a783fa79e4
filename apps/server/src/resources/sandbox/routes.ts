import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { readSandboxHealth } from '../../http/health.ts';

/** The state that the page for administrators and the form of the node Code show before code is run (§8.4). */
export function bindSandbox(binder: Binder): void {
  const { services } = binder;
  binder.json(contracts.readSandbox, async ({ config }) => {
    const {
      status,
      engine = null,
      problem = null,
      browser_problem = null,
    } = await readSandboxHealth(services);
    const python_tools =
      config.PLATFORM_PYTHON_TOOL_SANDBOX === 'subprocess' ? ('subprocess' as const) : ('container' as const);
    return { status, engine, problem, browser_problem, python_tools };
  });
}
