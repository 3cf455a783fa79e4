import semver from 'semver';
import type { Violation } from './rules.ts';

/** The fields that this check reads of an entry of `package-lock.json`. */
export interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages by their path, as `package-lock.json` has them; the repository itself has the path `""`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const LOCKFILE = 'package-lock.json';
const IN_PACKAGES = 'node_modules/';

/** Packages that serving or building needs and that do not run on every Node version that we promise. */
export function checkEngines(packages: LockedPackages): Violation[] {
  const ours = packages['']?.engines?.node ?? '*';
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path.includes(IN_PACKAGES) && !dev && !optional)
    .filter(([, { engines }]) => engines?.node !== undefined && !semver.subset(ours, engines.node))
    .map(([path, { version, engines }]) => ({
      rule: 'packages-run-on-our-node',
      path: LOCKFILE,
      message: `${path} ${version} needs Node ${engines?.node}, we promise ${ours}: choose a version that supports it`,
    }));
}

/** Where Node looks for a package that the one at `path` names: from the innermost folder outwards. */
function candidatesFor(path: string, name: string): string[] {
  const parents = path.split(`/${IN_PACKAGES}`).map((_, index, parts) => {
    const parent = parts.slice(0, parts.length - index).join(`/${IN_PACKAGES}`);
    return `${parent}/${IN_PACKAGES}${name}`;
  });
  return [...(path === '' ? [] : parents), `${IN_PACKAGES}${name}`];
}

/** Dependencies that the lockfile leaves out, also those of other platforms: `npm ci` refuses to start without them. */
export function checkLockComplete(packages: LockedPackages): Violation[] {
  return Object.entries(packages).flatMap(([path, { link, dependencies, optionalDependencies }]) =>
    link
      ? []
      : Object.keys({ ...dependencies, ...optionalDependencies })
          .filter((name) => !candidatesFor(path, name).some((candidate) => candidate in packages))
          .map((name) => ({
            rule: 'lockfile-is-complete',
            path: LOCKFILE,
            message: `${path} depends on ${name}, which is not locked: remove ${path} from the file and run npm install`,
          })),
  );
}
