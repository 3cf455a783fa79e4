// Takes the lock of the folder that it is given, says so, and keeps it until it is killed.
import { lockFolder } from '../folder-lock.ts';

lockFolder(process.argv[2] ?? '');
process.stdout.write('locked\n');
setInterval(() => undefined, 1_000);
