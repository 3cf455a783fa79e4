/** The folder of the repository, with a slash at its end. */
export const root: string;
/** Path of an installed command. */
export function bin(name: string): string;
/** Builds server and web app unless nothing has changed since the last build. */
export function ensureBuilt(): Promise<void>;
export type InstallPurpose = 'serve' | 'develop';
/** Whether the packages of the lockfile that the purpose needs are there. */
export function isInstalled(purpose: InstallPurpose, folder?: string): boolean;
/** Whether packages for developing are there, which an installation for serving would remove. */
export function hasDevPackages(folder?: string): boolean;
/** The state of everything that the build reads. */
export function readInputsStamp(folder?: string): string;
/** Whether the last build was of what is there now. */
export function isBuilt(folder?: string): boolean;
/** Records that what `readInputsStamp` described is built. */
export function markBuilt(inputs: string, folder?: string): void;
