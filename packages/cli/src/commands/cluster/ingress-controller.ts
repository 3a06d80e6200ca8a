import { ingressControllerObjects, objectsText, TRAEFIK_IMAGE } from '@switchyard/stack';
import type { Command } from 'commander';
import { integerOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';

interface IngressOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly image: string;
  readonly hostPorts?: boolean;
  readonly httpPort: string;
  readonly timeout: string;
  readonly force?: true;
  readonly dryRun?: true;
}

const MOST_SECONDS = 86_400;

/** `switchyard cluster deploy-ingress-controller` */
export function ingressControllerCommand(cli: Cli): Command {
  return leaf(
    'deploy-ingress-controller',
    'install Traefik as ingress controller, and wait until it answers',
    '',
    '--context kind-switchyard --http-port 8000',
    '--dry-run',
  )
    .option('--kubeconfig <file>', 'how the cluster is reached (KUBECONFIG; default: ~/.kube/config)')
    .option('--context <name>', 'context of that file (default: its current one)')
    .option('--image <image>', 'image of Traefik 3', TRAEFIK_IMAGE)
    .option(
      '--host-ports',
      'take ports 80 and 443 of the node; default: in clusters of kind, which give services no address',
    )
    .option('--no-host-ports', 'wait for an address of the service, in any cluster')
    .option('--http-port <port>', 'where node ports are: the port of this machine that leads to port 80', '80')
    .option('--timeout <seconds>', 'how long to wait until it answers', '300')
    .option('--force', 'also where the cluster has an ingress class of that name that is not ours')
    .option('--dry-run', 'print the objects as YAML; apply nothing')
    .action(async (options: IngressOptions) => {
      const { image, hostPorts } = options;
      if (options.dryRun) {
        const objects = ingressControllerObjects({ image, hostPorts: hostPorts === true });
        return cli.print(objects, objectsText(objects).trimEnd());
      }
      const httpPort = integerOf('--http-port', options.httpPort, 1, 65_535);
      const timeoutMs = integerOf('--timeout', options.timeout, 1, MOST_SECONDS) * 1_000;
      const { deployIngressController } = await import('../../clusters/ingress-controller.ts');
      const force = options.force === true;
      const answering = await deployIngressController(cli, options, { image, hostPorts, httpPort, timeoutMs, force });
      cli.print({ url: answering }, `ingress controller answers at ${answering}`);
    });
}
