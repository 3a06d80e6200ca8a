import { envTable, rollupServices, type Settings, serviceTable } from '../init/rollup-services.ts';
import type { Template } from '../init/templates.ts';

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
  /** The rollups that run on it, each with a genesis of its own. */
  readonly template: Template;
  /** Of the instance's ports. */
  readonly offset: number;
}

const text = JSON.stringify;

/**
 * The block of a network whose sequencer runs elsewhere. What is stored for it, and the key that pays, are its own:
 * nothing of the local network may get mixed up with it.
 */
export function networkBlock(network: RemoteNetwork): string {
  const { name, chainId, grpc, rpc, asset, rollupName, keyFile, allowDevKey, template, offset } = network;
  const composer: Settings = [
    ['svc_composer_private_key_file', keyFile],
    ['svc_composer_fee_asset', asset],
    ['svc_composer_db_filepath', dataOf(name, 'composer')],
    // Sequencers take 256,000 bytes unless their genesis sets another limit.
    ['svc_composer_max_bytes_per_bundle', '200000'],
    ...(allowDevKey ? ([['svc_composer_allow_dev_key', 'true']] as const) : []),
  ];
  const genesis = (file: string) => `$SWITCHYARD_INSTANCE/config/${file}`;
  return `# ${name}: a sequencer that runs elsewhere. \`switchyard dev run --network ${name}\` starts what is named here.
[networks.${name}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(grpc)}
sequencer_rpc = ${text(rpc)}
rollup_name = ${text(rollupName)}
native_denom = ${text(asset)}
${serviceTable(name, 'composer')}${envTable(name, 'composer', composer)}${rollupServices({
  network: name,
  template,
  offset,
  places: {
    messengerGenesis: genesis(rollupGenesisName(name)),
    evmGenesis: genesis(evmGenesisName(name)),
    state: (service) => dataOf(name, service),
  },
})}`;
}

const dataOf = (network: string, service: string) => `$SWITCHYARD_INSTANCE/data/${network}/${service}`;

export function rollupGenesisName(network: string): string {
  return `${network}_rollup_genesis.json`;
}

export function evmGenesisName(network: string): string {
  return `${network}_evm_genesis.json`;
}

export function composerKeyName(network: string): string {
  return `${network}_composer_priv_key`;
}
