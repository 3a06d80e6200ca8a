import { ingressControllerObjects, objectsText, TRAEFIK_IMAGE } from '@switchyard/stack';
import { integerReader, readTimeout } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import { withKubeconfig } from '../../deployments/cluster/kubeconfig.ts';

/** `switchyard cluster deploy-ingress-controller` */
export function ingressControllerCommand(cli: Cli) {
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
      'where node ports are: the port of this machine that leads to port 80',
      integerReader('--http-port', 1, 65_535),
      80,
    )
    .option('--timeout <seconds>', 'how long to wait until it answers', readTimeout, 300)
    .option('--force', 'also where the cluster has an ingress class of that name that is not ours')
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
