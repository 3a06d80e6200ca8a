import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { root, run, until } from './network.ts';

/** A Kubernetes cluster of this test file's own. Nothing of it is left after `stop`, or when this process ends. */
export interface Cluster {
  /** State and logs; gone after `stop`. */
  readonly directory: string;
  readonly kubeconfig: string;
  /** Where the ingress controller answers, on port 80. */
  readonly ingress: string;
  /** What it printed. @throws with what it reported when it fails. */
  kubectl(...args: string[]): Promise<string>;
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Puts images of `scripts/image.mjs` or `docker save` on every node: there is no registry. */
  load(...files: string[]): Promise<void>;
  /** What a program inside a node printed. The first node is 1. */
  inNode(node: number, ...command: string[]): Promise<string>;
  /** Kills everything on a node, which then starts again with its disk. */
  reboot(node: number): Promise<void>;
  /** GET through the ingress controller, as a client does that has resolved this name. */
  get(host: string, path: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
}

const SCRIPT = join(root, 'e2e', 'cluster', 'cluster.sh');
const START_MS = 240_000;
const ANSWER_MS = 10_000;

/** Why no cluster can run here; undefined where it can. Prints it, so that a skipped scenario has its reason in the output. */
export function clusterProblem(): string | undefined {
  const { status, error, stderr } = spawnSync('bash', [SCRIPT, 'check'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  const problem = error?.message ?? stderr.trim();
  console.log(`no Kubernetes cluster: ${problem}; its scenarios are left out`);
  return problem;
}

/** @throws when it does not serve in time, with what it reported. */
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
  return clusterOf(child, JSON.parse(stdout.slice(0, stdout.indexOf('\n'))));
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

function clusterOf(child: ChildProcess, { directory, kubeconfig, kubectl: program, ingress }: Started): Cluster {
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
    get: (host, path) => get(ingress, host, path),
    async stop() {
      child.stdin?.end();
      await ended(child);
    },
  };
}

/** Not `fetch`, which does not let its caller choose the name of the host. */
function get(address: string, host: string, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: address, path, headers: { host }, timeout: ANSWER_MS, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    call.once('timeout', () => call.destroy(new Error(`${host}${path}: no answer within ${ANSWER_MS} ms`)));
    call.once('error', reject);
    call.end();
  });
}
