import { integerReader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import { usage } from '../../failure.ts';
import { clustersOf, withCluster } from './options.ts';

/** `switchyard cluster create` */
export function createCommand(cli: Cli) {
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
      const clusters = clustersOf(options, cli);
      await clusters.create({ name, httpPort, httpsPort });
      const { provider } = clusters;
      const next =
        provider === 'k3d'
          ? 'it has an ingress controller; next: switchyard rollup deployment create'
          : 'next: switchyard cluster deploy-ingress-controller';
      cli.print({ name, provider, httpPort, httpsPort }, [`cluster ${name} is there, made with ${provider}`, next]);
    });
}
