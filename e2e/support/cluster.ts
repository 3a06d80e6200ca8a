import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Front, makeFront } from './front.ts';
import { root, run, until } from './network.ts';

/** A Kubernetes cluster of this test file's own. Nothing of it is left after `stop`, or when this process ends. */
export interface Cluster extends Front {
  /** State and logs; gone after `stop`. */
  readonly directory: string;
  readonly kubeconfig: string;
  /** Address of the ingress controller, with port 80. */
  readonly ingress: string;
  /** Output of a call of `kubectl`. @throws with its report when it fails. */
  kubectl(...args: string[]): Promise<string>;
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Puts images of `scripts/image.mjs` or `docker save` on every node: there is no registry. */
  load(...files: string[]): Promise<void>;
  /** Output of a program inside a node. The first node is 1. */
  inNode(node: number, ...command: string[]): Promise<string>;
  /** Kills everything on a node, which then starts again with its disk. */
  reboot(node: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Image {
  readonly name: string;
  readonly file: string;
  /** Bytes, uncompressed. */
  readonly size: number;
}

/** Packs the image of the build into a directory. */
export async function packImage(directory: string): Promise<Image> {
  const out = join(directory, 'image.tar');
  const made = await run(process.execPath, [join(root, 'scripts', 'image.mjs'), '--built', '--json', '--out', out]);
  if (made.status !== 0) throw new Error(made.stderr);
  // Our own script wrote it.
  return JSON.parse(made.stdout) as Image;
}

const SCRIPT = join(root, 'e2e', 'cluster', 'cluster.sh');
const START_MS = 240_000;

/** Why no cluster can run here; undefined if it can. Prints it, so that a skipped scenario has its reason in the output. */
export function clusterProblem(): string | undefined {
  const { status, error, stderr } = spawnSync('bash', [SCRIPT, 'check'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  const problem = error?.message ?? stderr.trim();
  console.log(`no Kubernetes cluster: ${problem}; its scenarios are left out`);
  return problem;
}

/** @throws when it does not serve in time, with its report. */
export async function startCluster({ nodes = 1 } = {}): Promise<Cluster> {
  // Not of this process group, which may be killed as a whole: it ends when its stdin does, and leaves nothing.
  const child = spawn('bash', [SCRIPT, 'up', '--attached', '--nodes', String(nodes)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Uint8Array) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk: Uint8Array) => (stderr += String(chunk)));
  let hasEnded = false;
  child.once('close', () => (hasEnded = true));
  await until('the cluster serves', () => hasEnded || stdout.includes('\n') || undefined, START_MS, 100);
  if (!stdout.includes('\n')) throw new Error(`the cluster ended: ${stderr.trim()}`);
  return makeCluster(child, JSON.parse(stdout.slice(0, stdout.indexOf('\n'))));
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

interface Started {
  readonly directory: string;
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly ingress: string;
}

function makeCluster(child: ChildProcess, { directory, kubeconfig, kubectl: program, ingress }: Started): Cluster {
  const env = { KUBECONFIG: kubeconfig };
  const printed = async (command: string, args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(command, args, env);
    if (status !== 0) throw new Error(`${[command, ...args].join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  const script = (...args: string[]) => printed('bash', [SCRIPT, ...args]);
  return {
    directory,
    kubeconfig,
    ingress,
    kubectl: (...args) => printed(program, args),
    async apply(...objects) {
      const file = join(directory, `objects-${randomUUID()}.json`);
      // It may hold secrets.
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }), { mode: 0o600 });
      await printed(program, ['apply', '--server-side', '-f', file]);
    },
    async load(...files) {
      await script('load', directory, ...files);
    },
    inNode: (node, ...command) => script('in', directory, String(node), ...command),
    async reboot(node) {
      await script('reboot', directory, String(node));
    },
    // Through the ingress controller.
    ...makeFront(ingress),
    async stop() {
      child.stdin?.end();
      await ended(child);
    },
  };
}
