import type { Command } from 'commander';
import { integerOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import { usage } from '../../failure.ts';
import { type ClusterOptions, clustersOf, withCluster } from './options.ts';

interface CreateOptions extends ClusterOptions {
  readonly httpPort: string;
  readonly httpsPort: string;
}

/** `switchyard cluster create` */
export function createCommand(cli: Cli): Command {
  return withCluster(
    leaf('create', 'make a cluster on this machine with kind or k3d', '--provider kind', '--http-port 8000'),
  )
    .option('--http-port <port>', 'port of this machine, on loopback, that leads to the ingress controller', '80')
    .option(
      '--https-port <port>',
      'port of this machine, on loopback, that leads to the ingress controller by TLS',
      '443',
    )
    .action(async (options: CreateOptions) => {
      const httpPort = integerOf('--http-port', options.httpPort, 1, 65_535);
      const httpsPort = integerOf('--https-port', options.httpsPort, 1, 65_535);
      if (httpPort === httpsPort) throw usage(`--https-port: expected another port than --http-port, got ${httpsPort}`);
      const clusters = clustersOf(options, cli);
      const { name } = options;
      await clusters.create({ name, httpPort, httpsPort });
      const { provider } = clusters;
      const next =
        provider === 'k3d'
          ? 'it has an ingress controller; next: switchyard rollup deployment create'
          : 'next: switchyard cluster deploy-ingress-controller';
      cli.print({ name, provider, httpPort, httpsPort }, [`cluster ${name} is there, made with ${provider}`, next]);
    });
}
