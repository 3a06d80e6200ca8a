import { type Parser, parser } from '@switchyard/service/settings';

/** Where the application waits for its CometBFT. */
export type AbciAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** `host:port`, `tcp://host:port` or `unix:///path`, as CometBFT's own `proxy_app` is written. */
export const abciAddress: Parser<AbciAddress> = parser(
  'host:port, tcp://host:port or unix:///path',
  'tcp://127.0.0.1:26658',
  (text) => {
    const unix = /^unix:\/\/(\/.+)$/.exec(text)?.[1];
    if (unix !== undefined) return { kind: 'unix', path: unix };
    const match = /^(?:tcp:\/\/)?(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    return host !== undefined && port <= 65_535 ? { kind: 'tcp', host, port } : undefined;
  },
);

/** As it is written into CometBFT's settings. */
export function formatAbciAddress(address: AbciAddress): string {
  if (address.kind === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}`;
}
