import { Failure, usage } from '@switchyard/service/failure';
import { programIn, runTool } from '../tools.ts';

/** Properties of a cluster to be made. */
interface NewCluster {
  readonly name: string;
  /** Ports of this machine that lead to the ingress controller. */
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** A program that makes clusters on this machine. */
interface Provider {
  /** Names of the clusters that it has made. */
  list(run: Run): Promise<readonly string[]>;
  create(cluster: NewCluster, run: Run): Promise<void>;
  delete(name: string, run: Run): Promise<void>;
  /** Puts an image into the cluster. @param file A docker-archive, as `docker save` and `npm run image` write it. */
  load(name: string, file: string, run: Run): Promise<void>;
}

/** Runs the provider's own program. */
type Run = (args: readonly string[], input?: string) => Promise<string>;

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** Services in it get no address: the ingress controller takes ports of the node, which are those of this machine. */
const kind: Provider = {
  list: async (run) => lines(await run(['get', 'clusters', '--quiet'])),
  async create({ name, httpPort, httpsPort }, run) {
    const ports = [
      { containerPort: 80, hostPort: httpPort },
      { containerPort: 443, hostPort: httpsPort },
    ];
    const config = {
      kind: 'Cluster',
      apiVersion: 'kind.x-k8s.io/v1alpha4',
      nodes: [
        {
          role: 'control-plane',
          extraPortMappings: ports.map((port) => ({ ...port, listenAddress: '127.0.0.1', protocol: 'TCP' })),
        },
      ],
    };
    await run(['create', 'cluster', '--name', name, '--wait', '180s', '--config', '-'], JSON.stringify(config));
  },
  delete: async (name, run) => void (await run(['delete', 'cluster', '--name', name])),
  load: async (name, file, run) => void (await run(['load', 'image-archive', file, '--name', name])),
};

/** It has an ingress controller of its own, Traefik, and gives addresses to services. */
const k3d: Provider = {
  async list(run) {
    // An array of objects with a name, among others.
    const clusters = JSON.parse(await run(['cluster', 'list', '--output', 'json'])) as { readonly name: string }[];
    return clusters.map(({ name }) => name);
  },
  async create({ name, httpPort, httpsPort }, run) {
    const ports = [`127.0.0.1:${httpPort}:80@loadbalancer`, `127.0.0.1:${httpsPort}:443@loadbalancer`];
    await run(['cluster', 'create', name, '--wait', ...ports.flatMap((port) => ['--port', port])]);
  },
  delete: async (name, run) => void (await run(['cluster', 'delete', name])),
  load: async (name, file, run) => void (await run(['image', 'import', file, '--cluster', name])),
};

export const PROVIDERS = { kind, k3d } as const;

type ProviderName = keyof typeof PROVIDERS;

const NAMES = Object.keys(PROVIDERS) as ProviderName[];

/** A cluster of this machine that a provider has made or is to make. */
export class Clusters {
  readonly #provider: Provider;
  readonly #run: Run;

  constructor(
    readonly provider: ProviderName,
    { env, say }: { readonly env: NodeJS.ProcessEnv; readonly say: (line: string) => void },
  ) {
    this.#provider = PROVIDERS[provider];
    this.#run = async (args, input) => {
      const line = [provider, ...args].join(' ');
      // Such tools report progress on their standard error.
      const onLine = (text: string, stream: string) => stream === 'stderr' && say(`${provider}: ${text}`);
      const { stdout, problem } = await runTool(provider, args, { env, input, onLine }).catch((error: Error) => {
        throw new Failure(`${provider} cannot be run: ${error.message}`);
      });
      if (problem !== undefined) throw new Failure(`${line} failed: ${problem}`);
      return stdout;
    };
  }

  async has(name: string): Promise<boolean> {
    return (await this.#provider.list(this.#run)).includes(name);
  }

  /** @throws {Failure} when there is one of that name, or the provider fails. */
  async create(cluster: NewCluster): Promise<void> {
    if (await this.has(cluster.name))
      throw new Failure(
        `--name: expected the name of no cluster, got ${cluster.name}, which ${this.provider} has: delete it with \`switchyard cluster delete --name ${cluster.name}\`, or choose another name`,
      );
    await this.#provider.create(cluster, this.#run);
  }

  async delete(name: string): Promise<void> {
    await this.#provider.delete(name, this.#run);
  }

  /** @throws {Failure} when there is none of that name. */
  async load(name: string, file: string): Promise<void> {
    await this.mustHave(name);
    await this.#provider.load(name, file, this.#run);
  }

  /** @throws {Failure} when there is none of that name. */
  async mustHave(name: string): Promise<void> {
    const names = await this.#provider.list(this.#run);
    if (names.includes(name)) return;
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw new Failure(`--name: expected the name of a cluster of ${this.provider}, got ${name}: ${known}`);
  }
}

/** The named provider, or the first one on PATH. */
export function getProvider(named: string | undefined, env: NodeJS.ProcessEnv): ProviderName {
  const there = NAMES.filter((name) => programIn(name, env) !== undefined);
  if (named === undefined) {
    const [first] = there;
    if (first !== undefined) return first;
    throw new Failure(
      `no ${NAMES.join(' or ')} on PATH: install one of them, or name a cluster that you have with --kubeconfig or --context in the commands that use one`,
    );
  }
  const provider = NAMES.find((name) => name === named);
  if (provider === undefined) throw usage(`--provider: expected ${NAMES.join(' or ')}, got ${JSON.stringify(named)}`);
  if (!there.includes(provider))
    throw new Failure(`--provider: ${provider} is not on PATH: install it, or name another`);
  return provider;
}
