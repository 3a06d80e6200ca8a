import { join } from 'node:path';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { type CelestiaLabel, celestiaPaths } from './layout.ts';
import { argumentOf } from './service.ts';

interface Following {
  readonly name: string;
  readonly value: string;
  readonly from: { readonly file: string; readonly key: string };
}

/** What follows for one service from where the Celestia network of its instance listens; nothing where there is none. */
export function celestiaSettings({ network, paths }: Instance, entry: ServiceEntry): Following[] {
  const from = (label: CelestiaLabel) => ({
    file: paths.networks,
    key: `networks.${network.name}.services.${label}.args`,
  });
  const read = (label: CelestiaLabel, flag: string) =>
    argumentOf(network.services.find((each) => each.label === label)?.args ?? [], flag);
  const setting = (name: string, label: CelestiaLabel, value: string | undefined): Following[] =>
    value === undefined ? [] : [{ name, value, from: from(label) }];
  const port = read('celestia-light', '--rpc.port');
  const grpc = read('celestia-app', '--grpc.address');
  const chain = read('celestia-light', '--p2p.network');
  const { data, readToken } = celestiaPaths(paths);
  const header = join(data, `${entry.label}-header.json`);
  return [
    ...setting('SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL', 'celestia-light', port && `http://127.0.0.1:${port}`),
    ...setting('SVC_CONDUCTOR_CELESTIA_TOKEN_FILE', 'celestia-light', chain && readToken),
    ...setting('SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID', 'celestia-light', chain),
    ...setting('SVC_CONDUCTOR_CELESTIA_HEADER_FILEPATH', 'celestia-light', chain && header),
    ...setting('SVC_RELAYER_DA_GRPC_ENDPOINT', 'celestia-app', grpc && `http://${grpc}`),
    ...setting('SVC_RELAYER_DA_CHAIN_ID', 'celestia-light', chain),
  ];
}
