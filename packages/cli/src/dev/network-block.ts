import { serviceTable } from './networks-file.ts';

/** What the block of a remote network is written from. */
export interface RemoteNetwork {
  readonly name: string;
  readonly chainId: string;
  readonly grpc: string;
  readonly rpc: string;
  /** What fees are paid in. */
  readonly asset: string;
  readonly rollupName: string;
  /** Of the composer, as the file shall have it. */
  readonly keyFile: string;
  /** Whether a published key may pay. */
  readonly allowDevKey: boolean;
  /** Whether the messenger runs on it, with a genesis of its own. */
  readonly withMessenger: boolean;
  /** Where the conductor answers that it lives. */
  readonly conductorUrl: string;
}

const text = JSON.stringify;

/**
 * The block of a network whose sequencer runs elsewhere. What is stored for it, and the key that pays, are its own:
 * nothing of the local network may get mixed up with it.
 */
export function networkBlock(network: RemoteNetwork): string {
  const { name, chainId, grpc, rpc, asset, rollupName, keyFile, allowDevKey, withMessenger, conductorUrl } = network;
  const env = (service: string, settings: readonly (readonly [string, string])[]) =>
    `\n[networks.${name}.services.${service}.env]\n${settings.map(([key, value]) => `${key} = ${text(value)}\n`).join('')}`;
  return `# ${name}: a sequencer that runs elsewhere. \`switchyard dev run --network ${name}\` starts what is named here.
[networks.${name}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(grpc)}
sequencer_rpc = ${text(rpc)}
rollup_name = ${text(rollupName)}
native_denom = ${text(asset)}
${serviceTable(name, 'composer')}${env('composer', [
  ['svc_composer_private_key_file', keyFile],
  ['svc_composer_fee_asset', asset],
  ['svc_composer_db_filepath', dataOf(name, 'composer')],
  // Sequencers take 256,000 bytes unless their genesis says otherwise.
  ['svc_composer_max_bytes_per_bundle', '200000'],
  ...(allowDevKey ? ([['svc_composer_allow_dev_key', 'true']] as const) : []),
])}${serviceTable(name, 'conductor', withMessenger ? '' : `# There is no rollup yet. Remove this line once there is one.\nready = ${text(conductorUrl)}\n`)}${
  withMessenger
    ? `${serviceTable(name, 'rollup')}${env('rollup', [
        ['genesis_filepath', `$SWITCHYARD_INSTANCE/config/${rollupGenesisName(name)}`],
        ['db_filepath', dataOf(name, 'rollup')],
      ])}`
    : ''
}`;
}

const dataOf = (network: string, service: string) => `$SWITCHYARD_INSTANCE/data/${network}/${service}`;

export function rollupGenesisName(network: string): string {
  return `${network}_rollup_genesis.json`;
}

export function composerKeyName(network: string): string {
  return `${network}_composer_priv_key`;
}
