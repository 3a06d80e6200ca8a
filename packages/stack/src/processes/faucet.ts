import { fields } from '@switchyard/faucet/config';
import type { Program } from '../process.ts';

export const faucet: Program<typeof fields> = {
  name: 'faucet',
  title: 'Faucet of the EVM rollup; that of the sequencer has its own settings in networks-config.toml',
  fields,
  listeners: { http: { field: fields.listenAddr, use: 'faucet page and HTTP API' } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
};

export const FAUCET_KINDS = ['evm', 'sequencer', 'messenger', 'rollup'] as const;
export type FaucetKind = (typeof FAUCET_KINDS)[number];

/** Common name of a coin of 10^9 units of an asset: `TIA` for `ntia`, which counts billionths. */
export function coinOf(asset: string): string {
  return /^n[a-z]{2,}$/.test(asset) ? asset.slice(1).toUpperCase() : asset.slice(0, 20);
}
