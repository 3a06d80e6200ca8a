import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, usage } from '@switchyard/service/failure';
import { ingressControllerObjects, objectsText, TRAEFIK_IMAGE } from '@switchyard/stack';
import { integerReader, readTimeout } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import { Clusters, getProvider, PROVIDERS } from '../../clusters/providers.ts';
import { withKubeconfig } from '../../deployments/cluster/kubeconfig.ts';
import { attempt } from '../../dev/files/files.ts';
import { confirm } from '../dev/confirm.ts';

/** `switchyard cluster ...`: a Kubernetes cluster for rollups. */
export function clusterCommands(cli: Cli) {
  return [createCommand(cli), ingressControllerCommand(cli), loadImageCommand(cli), deleteCommand(cli)];
}

function createCommand(cli: Cli) {
  return withCluster(
    leaf('create', 'make a cluster on this machine with kind or k3d', '--provider kind', '--http-port 8000'),
  )
    .option(
      '--http-port <port>',
      'port of this machine, on loopback, that leads to the ingress controller',
      integerReader('--http-port', 1, 65_535),
      80,
    )
    .option(
      '--https-port <port>',
      'port of this machine, on loopback, that leads to the ingress controller by TLS',
      integerReader('--https-port', 1, 65_535),
      443,
    )
    .action(async (options) => {
      const { name, httpPort, httpsPort } = options;
      if (httpPort === httpsPort) throw usage(`--https-port: expected another port than --http-port, got ${httpsPort}`);
      const clusters = toClusters(options, cli);
      await clusters.create({ name, httpPort, httpsPort });
      const { provider } = clusters;
      const next =
        provider === 'k3d'
          ? 'it has an ingress controller; next: switchyard rollup deployment create'
          : 'next: switchyard cluster deploy-ingress-controller';
      cli.print({ name, provider, httpPort, httpsPort }, [`cluster ${name} is there, made with ${provider}`, next]);
    });
}

function ingressControllerCommand(cli: Cli) {
  return withKubeconfig(
    leaf(
      'deploy-ingress-controller',
      'install Traefik as ingress controller, and wait until it answers',
      '',
      '--context kind-switchyard --http-port 8000',
      '--dry-run',
    ),
  )
    .option('--image <image>', 'image of Traefik 3', TRAEFIK_IMAGE)
    .option(
      '--host-ports',
      'take ports 80 and 443 of the node; default: in clusters of kind, which give services no address',
    )
    .option('--no-host-ports', 'wait for an address of the service, in any cluster')
    .option(
      '--http-port <port>',
      'with node ports: the port of this machine that leads to port 80',
      integerReader('--http-port', 1, 65_535),
      80,
    )
    .option('--timeout <seconds>', 'how long to wait until it answers', readTimeout, 300)
    .option('--force', 'also if the cluster has a foreign ingress class of that name')
    .option('--dry-run', 'print the objects as YAML; apply nothing')
    .action(async (options) => {
      const { image, hostPorts, httpPort, timeout } = options;
      if (options.dryRun) {
        const objects = ingressControllerObjects({ image, hostPorts: hostPorts === true });
        return cli.print(objects, objectsText(objects).trimEnd());
      }
      const { deployIngressController } = await import('../../clusters/ingress-controller.ts');
      const force = options.force === true;
      const choice = { image, hostPorts, httpPort, timeoutMs: 1_000 * timeout, force };
      const answering = await deployIngressController(cli, options, choice);
      cli.print({ url: answering }, `ingress controller answers at ${answering}`);
    });
}

function loadImageCommand(cli: Cli) {
  return withCluster(leaf('load-image', 'put an image into a cluster of this machine, without a registry', 'image.tar'))
    .argument('<file>', 'a docker-archive, as `docker save` and `npm run image` write it')
    .action(async (file, options) => {
      const path = resolve(cli.world.directory, file);
      mustBeFile(path);
      const clusters = toClusters(options, cli);
      const { name } = options;
      await clusters.load(name, path);
      cli.print({ name, provider: clusters.provider, file: path }, `${path} is in cluster ${name}`);
    });
}

function mustBeFile(path: string): void {
  if (attempt(path, 'read', () => statSync(path)).isFile()) return;
  throw new Failure(`${path}: expected a file, got something else`);
}

function deleteCommand(cli: Cli) {
  return withCluster(
    leaf('delete', 'delete a cluster of this machine, with all that is in it', '--name switchyard --yes'),
  )
    .option('-y, --yes', 'do not ask')
    .action(async (options) => {
      const clusters = toClusters(options, cli);
      const { name } = options;
      await clusters.mustHave(name);
      await confirm(cli, {
        yes: options.yes,
        what: [`deletes cluster ${name} of ${clusters.provider}, with all rollups and volumes in it`],
        question: 'Delete it?',
        verb: 'delete',
      });
      await clusters.delete(name);
      cli.print({ name, provider: clusters.provider }, `cluster ${name} is deleted`);
    });
}

/** Options of the commands for clusters that a program of this machine has made. */
const withCluster = optionSet((command) =>
  command
    .option('--name <name>', 'name of the cluster', 'switchyard')
    .option('--provider <program>', `${Object.keys(PROVIDERS).join(' or ')} (default: the first one on PATH)`),
);

/** The provider's progress goes to stderr. @throws {Failure} if the options cannot be used. */
function toClusters({ name, provider }: OptionsOf<typeof withCluster>, cli: Cli): Clusters {
  // All providers take such names, and none of them can be mistaken for an option.
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name))
    throw usage(
      `--name: expected at most 32 lower-case letters, digits and dashes, got ${JSON.stringify(name.slice(0, 80))}`,
    );
  const { env } = cli.world;
  return new Clusters(getProvider(provider, env), { env, say: (line) => cli.note(line) });
}
