import { type ConfigOf, field, listen, parser, type Schema, standardFields } from '@switchyard/service/settings';

export const PREFIX = 'SWITCHYARD_PROXY_';

const MAX_ROUTES = 100;

/** Ports of this machine, by host names in lower case. */
const routes: Schema<ReadonlyMap<string, number>> = parser(
  'pairs of host name and port, separated by commas',
  'executor.cosmic.localhost=20000',
  (text) => {
    const pairs = text.split(',').map((pair) => /^([a-z0-9.-]{1,253})=(\d{1,5})$/.exec(pair.trim()));
    if (pairs.length > MAX_ROUTES) return undefined;
    const read = pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2])] as const);
    return read.every(([name, port]) => name !== '' && port >= 1 && port <= 65_535) ? new Map(read) : undefined;
  },
);

/** Settings of the reverse proxy in front of the processes of a rollup. */
export const proxyFields = {
  listenAddr: field(`${PREFIX}LISTEN_ADDR`, listen, {
    help: 'where the host names of the rollup are served',
    fallback: '127.0.0.1:8090',
  }),
  routes: field(`${PREFIX}ROUTES`, routes, { help: 'which host name leads to which port of this machine' }),
  ...standardFields(PREFIX, '127.0.0.1:9010'),
};

export type ProxyConfig = ConfigOf<typeof proxyFields>;
