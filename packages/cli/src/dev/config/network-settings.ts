import type { Instance, Network } from '../instance/instance.ts';
import { isOfBase } from './roles.ts';

/** Settings of the services that a network decides, and under which of its keys. */
export const NETWORK_KEYS = {
  SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: 'sequencer_rpc',
  SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: 'sequencer_grpc',
  SVC_COMPOSER_SEQUENCER_CHAIN_ID: 'sequencer_chain_id',
  SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: 'sequencer_rpc',
  SVC_CONDUCTOR_SEQUENCER_GRPC_URL: 'sequencer_grpc',
  SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: 'sequencer_chain_id',
  SVC_RELAYER_SEQUENCER_ABCI_ENDPOINT: 'sequencer_rpc',
  SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT: 'sequencer_grpc',
  SVC_RELAYER_SEQUENCER_CHAIN_ID: 'sequencer_chain_id',
  SEQUENCER_CHAIN_ID: 'sequencer_chain_id',
  SVC_FAUCET_SEQUENCER_ABCI_ENDPOINT: 'sequencer_rpc',
  SVC_FAUCET_SEQUENCER_GRPC_ENDPOINT: 'sequencer_grpc',
  SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: 'sequencer_rpc',
  SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: 'sequencer_grpc',
  SVC_EXPLORER_CHAIN_ID: 'sequencer_chain_id',
} as const;

export type NetworkKey = (typeof NETWORK_KEYS)[keyof typeof NETWORK_KEYS];

export interface NetworkSetting {
  readonly name: string;
  readonly key: NetworkKey;
  readonly value: string;
}

/** The network's own keys take precedence over the base settings, as in the reference. */
export function networkSettings(
  network: Pick<Network, 'sequencerRpc' | 'sequencerGrpc' | 'sequencerChainId'>,
): NetworkSetting[] {
  const values: Readonly<Record<NetworkKey, string>> = {
    sequencer_rpc: network.sequencerRpc,
    sequencer_grpc: network.sequencerGrpc,
    sequencer_chain_id: network.sequencerChainId,
  };
  return Object.entries(NETWORK_KEYS).map(([name, key]) => ({ name, key, value: values[key] }));
}

/** A base setting that the network overrides with another value. */
export interface Overridden extends NetworkSetting {
  /** What the base file has. */
  readonly ineffective: string;
}

/** Of the network that the base file describes; another network is expected to differ. */
export function overriddenSettings({ base, network }: Instance): Overridden[] {
  if (!isOfBase(network)) return [];
  return networkSettings(network).flatMap((setting) => {
    const ineffective = base[setting.name];
    return ineffective === undefined || ineffective === setting.value ? [] : [{ ...setting, ineffective }];
  });
}
