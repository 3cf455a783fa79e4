// The product without its fence, for the negative control: a process believes in its lease for ever, and what it writes is
// not checked against it.
import { serveBroken } from './serve-broken.ts';

await serveBroken({ fenced: false, change: () => ({ leaseIsSafe: () => true }) });
