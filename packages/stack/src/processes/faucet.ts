import { fields } from '@switchyard/faucet/config';
import type { Stated } from '../network.ts';
import { FAUCET_KINDS, type FaucetKind, type Member } from '../network.ts';
import type { Deployable } from '../process.ts';
import { getOrigins, mapText } from '../values.ts';
import { placeIn } from '../wiring.ts';

/** Settings that follow from other processes. */
type Follows = 'kind' | 'rpcUrl' | 'rollupUrl' | 'explorerUrl' | 'walletRpcUrl' | 'pages';

export const faucet: Deployable<typeof fields, Follows> = {
  name: 'faucet',
  title: 'Faucet of the EVM rollup; that of the sequencer has its own settings in networks-config.toml',
  fields,
  listeners: { http: { field: fields.listenAddr, use: 'faucet page and HTTP API' } },
  further: { messenger: { http: 3_034, metrics: 9_009 }, sequencer: { http: 3_032, metrics: 9_007 } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
  settings(member, { network, stated, node, pages, rollups, members, running, usual, url }) {
    const kind = faucetKind(member, stated);
    const chat = url(running('messenger')[0], 'http');
    const paid = rollups.find(({ label }) => label === member.rollup);
    // If another program has taken the place of the messenger, there is nothing to pay on.
    const isOff = kind === 'messenger' && chat === undefined;
    const coins = { asset: network.asset, symbol: mapText(network.asset, getCoin), precision: 9 };
    // One claim is enough to write for long, and a shared network has one client for many people.
    const claims = { minutes: 60, clientClaims: 100 };
    return {
      ...{ kind, enabled: isOff ? { value: 'false', from: placeIn(network) } : undefined },
      ...{ listenAddr: usual(member, 'http'), rpcUrl: url(members('evm')[0], 'http') },
      ...{
        ...node,
        rollupUrl: kind === 'rollup' ? url(paid, 'http') : chat,
        ...(kind === 'sequencer' && coins),
        ...(kind === 'messenger' && claims),
      },
      privateKeyFile: network.places.config(`${kind === 'evm' ? '' : `${kind}_`}faucet_dev_priv_key`),
      ...{ dbFilepath: network.places.data(member.label), explorerUrl: url(running('explorer')[0], 'http') },
      walletRpcUrl: url(running('evm')[0], 'http'),
      allowedOrigins: kind === 'messenger' ? chat && mapText(chat, getOrigins) : undefined,
      pages,
    };
  },
  deployed: ({ process, manifest, site, pages, allowDevKey }) => ({
    ...(manifest.kind === 'evm'
      ? { kind: 'evm', rpcUrl: site.node, rollupUrl: undefined, chainId: String(manifest.networkId) }
      : { kind: 'rollup', rpcUrl: undefined, rollupUrl: site.node }),
    ...(manifest.kind === 'evm' ? {} : { action: manifest.faucetAction, asset: manifest.faucetAsset }),
    walletRpcUrl: manifest.kind === 'evm' ? site.url('executor') : undefined,
    ...{ listenAddr: site.listen(process, 'http'), explorerUrl: site.url('blockscout') },
    ...{ amount: manifest.faucetAmount, minutes: manifest.faucetMinutes },
    ...{ privateKeyFile: site.keyFile(process), allowDevKey, dbFilepath: site.data(process) },
    ...{ allowedHosts: site.hostNames(process), ...site.proxies, pages },
  }),
};

/** Where a faucet pays: a file may state another kind than its label does. */
export function faucetKind(member: Member, stated: Stated): FaucetKind {
  const kind = stated(member, fields.kind)?.value ?? member.kind;
  return FAUCET_KINDS.find((each) => each === kind) ?? 'evm';
}

/** Common name of a coin of 10^9 units of an asset: `TIA` for `ntia`, which counts billionths. */
export function getCoin(asset: string): string {
  return /^n[a-z]{2,}$/.test(asset) ? asset.slice(1).toUpperCase() : asset.slice(0, 20);
}
