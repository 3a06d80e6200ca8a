import { memberTables } from '../init/network-text.ts';
import { localNetwork } from '../init/networks-file.ts';
import { networkFrom } from '../init/new-network.ts';
import type { Template } from '../init/templates.ts';

/** Values for the block of a remote network. */
export interface RemoteNetwork {
  readonly name: string;
  readonly chainId: string;
  readonly grpc: string;
  readonly rpc: string;
  /** Asset in which fees are paid. */
  readonly asset: string;
  readonly rollupName: string;
  /** Key file of the composer, as the network file shall name it. */
  readonly keyFile: string;
  /** Whether a published key may pay. */
  readonly allowDevKey: boolean;
  /** The rollups that run on it, each with a genesis of its own. */
  readonly template: Template;
  /** Offset of the instance's ports. */
  readonly offset: number;
}

const text = JSON.stringify;

/**
 * The block of a network whose sequencer runs elsewhere. What is stored for it, and the key that pays, are its own:
 * nothing of the local network may get mixed up with it.
 */
export function networkBlock(network: RemoteNetwork): string {
  const { name, chainId, grpc, rpc, asset, rollupName, keyFile, allowDevKey, template, offset } = network;
  const remote = networkFrom({
    ...{ name, kind: 'remote', chainId, asset, rpc, grpc, template, layer: 'none', offset },
    ...{ composerKey: keyFile, allowDevKey },
  });
  const local = localNetwork({ chainId, nativeDenom: asset, offset, template, layer: 'none' });
  return `# ${name}: a sequencer that runs elsewhere. \`switchyard dev run --network ${name}\` starts what is named here.
[networks.${name}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(grpc)}
sequencer_rpc = ${text(rpc)}
rollup_name = ${text(rollupName)}
native_denom = ${text(asset)}
${memberTables(remote, local)}`;
}
