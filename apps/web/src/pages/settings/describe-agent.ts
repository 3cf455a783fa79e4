export interface Agent {
  kind: 'computer' | 'phone' | 'program';
  /** "Firefox on Windows"; absent when nothing is known. */
  name: string | undefined;
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(Headless)?Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const findName = (agent: string, names: readonly (readonly [RegExp, string])[]) =>
  names.find(([pattern]) => pattern.test(agent))?.[1];

/** Describes a `User-Agent` header in words. */
export function describeAgent(agent: string | null): Agent {
  if (!agent) return { kind: 'program', name: undefined };
  const browser = findName(agent, BROWSERS);
  const system = findName(agent, SYSTEMS);
  if (!browser) return { kind: 'program', name: agent.split(/[\s/]/)[0] || undefined };
  const kind = /iPhone|iPad|Android|Mobile/.test(agent) ? 'phone' : 'computer';
  return { kind, name: system ? `${browser} · ${system}` : browser };
}
