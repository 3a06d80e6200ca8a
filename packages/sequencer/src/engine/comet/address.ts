import { listen, parser, type Schema } from '@switchyard/service/settings';

/** Address on which the application waits for its CometBFT. */
export type AbciAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** `host:port`, `tcp://host:port` or `unix:///path`, as CometBFT's own `proxy_app` is written. */
export const abciAddress: Schema<AbciAddress> = parser(
  'host:port, tcp://host:port or unix:///path',
  'tcp://127.0.0.1:26658',
  (text) => {
    const unix = /^unix:\/\/(\/.+)$/.exec(text)?.[1];
    if (unix !== undefined) return { kind: 'unix', path: unix };
    const tcp = listen.fromText(text.replace(/^tcp:\/\//, ''));
    return tcp && { kind: 'tcp', ...tcp };
  },
);

/** Renders the address in the form of CometBFT's settings. */
export function formatAbciAddress(address: AbciAddress): string {
  if (address.kind === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}`;
}
