import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { Sandboxes } from '../../ports/sandbox.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { createSubprocessSandbox } from './subprocess-sandbox.ts';
import { forwardedVariables } from './variables.ts';

interface Opening {
  readonly config: Config;
  /** Variables of the process; few of them are forwarded. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Id of the installation; awaited when it is needed. */
  readonly installation: string | Promise<string>;
  readonly parsers: ServerParsers;
  readonly log: Logger;
  readonly now: () => number;
}

/** Containers, and for Python tools what `PLATFORM_PYTHON_TOOL_SANDBOX` names. There is no way from one to the other (§8.4). */
export function openSandboxes({ config, env, installation, parsers, log, now }: Opening): Sandboxes {
  const forwarded = forwardedVariables(env);
  const container = createContainerSandbox({
    docker_host: config.DOCKER_HOST,
    installation,
    images: {
      python: config.SANDBOX_PYTHON_IMAGE,
      javascript: config.SANDBOX_NODE_IMAGE,
      browser: config.SANDBOX_BROWSER_IMAGE,
    },
    network: config.SANDBOX_NETWORK,
    forwarded,
    concurrency: config.SANDBOX_CONCURRENCY,
    warm: config.SANDBOX_WARM_CONTAINERS,
    parsers,
    log,
    now,
  });
  const tool =
    config.PLATFORM_PYTHON_TOOL_SANDBOX === 'subprocess'
      ? createSubprocessSandbox({ forwarded, parsers })
      : container;
  if (tool !== container)
    log.warn('Python tools run as processes of this machine, which is no security boundary');
  return {
    of: (purpose) => (purpose === 'code' ? container : tool),
    scripts: container,
    programs: container,
    async close() {
      await Promise.allSettled([container.close(), tool.close()]);
    },
  };
}
