import { LIMITS } from './limits.ts';

/** Name of the label of everything that a sandbox makes; its value says what it is. */
export const LABEL = 'millrace.sandbox';
/** The installation that owns the container; several may share an engine. */
export const INSTALLATION = 'millrace.sandbox.installation';
/** Milliseconds after its creation when any process of the installation may remove a container. */
export const LIFETIME = 'millrace.sandbox.lifetime';

/** An unassigned user id, so that the code owns no file of the host. */
const USER = '65532:65532';

export interface ContainerPlan {
  /** For people who look at the engine: `run` unless it says otherwise; `warm` waits for its input. */
  readonly kind?: 'run' | 'program' | 'warm';
  readonly image: string;
  readonly command: readonly string[];
  readonly variables: readonly string[];
  /** Name of the engine's network, `none` for none. */
  readonly network: string;
  readonly packages: { readonly volume: string; readonly is_installing: boolean } | undefined;
  /** Name of the volume with the files that scripts of one run share; absent: none. */
  readonly workspace?: string | undefined;
  /** Bytes; those of code by default. */
  readonly memory?: number | undefined;
  /** Bytes of the folder for temporary files; those of code by default. */
  readonly temporary?: number | undefined;
  readonly installation: string;
  readonly lifetime_ms: number;
}

/** The second folder for temporary files of an image (FHS 5.15): everyone may write to it, which its volume takes over. */
export const WORKSPACE = '/var/tmp';

const temporaryFolder = (size: number): string => `rw,noexec,nosuid,nodev,size=${size}`;

/** A container that can do nothing but compute (§8.4): body of `POST /containers/create`. */
export function hardened({
  kind = 'run',
  image,
  command,
  variables,
  network,
  packages,
  workspace,
  memory = LIMITS.memory,
  temporary = LIMITS.temporary,
  installation,
  lifetime_ms,
}: ContainerPlan): object {
  const labels = { [LABEL]: packages?.is_installing ? 'install' : kind };
  return {
    Image: image,
    Entrypoint: command,
    Cmd: [],
    Env: ['HOME=/tmp', 'PYTHONDONTWRITEBYTECODE=1', 'PYTHONIOENCODING=utf-8:surrogatepass', ...variables],
    Hostname: 'sandbox',
    User: USER,
    WorkingDir: '/tmp',
    Labels: { ...labels, [INSTALLATION]: installation, [LIFETIME]: String(lifetime_ms) },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: network,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Privileged: false,
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: LIMITS.processes,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: LIMITS.cpus * 1e9,
      IpcMode: 'none',
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 1024 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      ...buildMounts({ packages, workspace, installation, temporary }),
    },
  };
}

function buildMounts({
  packages,
  workspace,
  installation,
  temporary,
}: Pick<ContainerPlan, 'packages' | 'workspace' | 'installation'> & { readonly temporary: number }): object {
  const mounts: object[] = [];
  if (packages) {
    const mount = { Type: 'volume', Source: packages.volume };
    const labels = { Labels: { [LABEL]: 'packages' } };
    // The empty volume takes over that everyone may write to the folder for temporary files of the image.
    if (packages.is_installing) return { Mounts: [{ ...mount, Target: '/tmp', VolumeOptions: labels }] };
    const options = { NoCopy: true, ...labels };
    mounts.push({ ...mount, Target: '/packages', ReadOnly: true, VolumeOptions: options });
  }
  if (workspace !== undefined) {
    const labels = { Labels: { [LABEL]: 'workspace', [INSTALLATION]: installation } };
    mounts.push({ Type: 'volume', Source: workspace, Target: WORKSPACE, VolumeOptions: labels });
  }
  return { Tmpfs: { '/tmp': temporaryFolder(temporary) }, ...(mounts.length > 0 ? { Mounts: mounts } : {}) };
}
