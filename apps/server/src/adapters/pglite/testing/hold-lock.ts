// Takes the lock of the folder that it is given, says that it has it or who else, and keeps it until it is killed. With `wait` as
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
  const [, holder = 'an unknown process'] = /in use by (.*)\. Stop it/.exec(error.message) ?? [];
  process.stdout.write(`refused by ${holder}\n`);
}
setInterval(() => undefined, 1_000);
