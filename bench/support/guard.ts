import { buildBaseline } from './baseline.ts';
import { bodyOf, chain, signUp } from './client.ts';
import { compare, type Target } from './load.ts';
import { type ServerProcess, startMillrace } from './processes.ts';

const SECONDS = 4;
const ROUNDS = 5;
/** Below this share of the baseline's throughput the build fails. */
const LEAST_OF_BASELINE = 0.85;

/** Both builds side by side, in turns; the one comparison whose figure may fail a build. */
export async function keepsBaseline(): Promise<boolean> {
  const { commit, main } = buildBaseline();
  const [former, current] = [await startMillrace({ main }), await startMillrace()];
  const target = async (server: ServerProcess, nodes: number): Promise<Target> => ({
    server,
    url: await (await signUp(server.url)).workflow(chain(nodes)),
  });
  let holds = true;
  for (const nodes of [1, 10]) {
    const pair = { yardstick: await target(former, nodes), measured: await target(current, nodes) };
    const options = { body: bodyOf(400), connections: 32, seconds: SECONDS };
    const { ratio, cpu_ratio, measured } = await compare(pair, options, ROUNDS);
    const is_fast = ratio >= LEAST_OF_BASELINE && measured.failed === 0;
    holds &&= is_fast;
    const figures = `${ratio.toFixed(2)} of ${commit} (${cpu_ratio.toFixed(2)} by CPU, at least ${LEAST_OF_BASELINE})`;
    console.log(`execute, ${nodes} node${nodes === 1 ? '' : 's'}: ${figures}${is_fast ? '' : ': too slow'}`);
  }
  await Promise.all([former.stop(), current.stop()]);
  return holds;
}
