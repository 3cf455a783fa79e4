// Takes the lock of the folder that it is given, says whether it has it, and keeps it until it is killed. With `wait` as
// second argument it begins when it is sent a line.
import { FolderInUse, lockFolder } from '../folder-lock.ts';

const [folder = '', mode] = process.argv.slice(2);
if (mode === 'wait') {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
}
try {
  lockFolder(folder);
  process.stdout.write(`locked ${process.pid}\n`);
} catch (error) {
  if (!(error instanceof FolderInUse)) throw error;
  process.stdout.write('refused\n');
}
setInterval(() => undefined, 1_000);
