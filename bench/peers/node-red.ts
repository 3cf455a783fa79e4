import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startGroup } from './group.ts';
import { install, installNode } from './installed.ts';
import type { Peer } from './peer.ts';

const VERSION = '5.0.7';

const FLOW = [
  { id: 'tab', type: 'tab', label: 'Bench' },
  { id: 'in', type: 'http in', z: 'tab', url: '/bench', method: 'post', wires: [['set']] },
  {
    id: 'set',
    type: 'function',
    z: 'tab',
    func: 'msg.payload = { text: msg.payload.text };\nreturn msg;',
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
];

/** It keeps no history of runs: its figure is what a call costs without any. */
export function nodeRed(): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-node-red-'));
  const flow = join(folder, 'flows.json');
  let main = '';
  return {
    name: `Node-RED ${VERSION}`,
    configuration: 'as installed',
    storage: 'none',
    install: async () => {
      installNode();
      main = join(install('node-red', VERSION), 'red.js');
    },
    prepare: async () => writeFileSync(flow, JSON.stringify(FLOW)),
    async start() {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/bench`;
      const args = [main, '--userDir', folder, '--port', String(port), flow];
      return { ...(await startGroup(args, {}, url)), url, stored: async () => 0 };
    },
    discard: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
