import { memberTables } from '../init/network-text.ts';
import { localNetwork } from '../init/networks-file.ts';
import { type NewNetwork, networkFrom } from '../init/new-network.ts';

const text = JSON.stringify;

/**
 * The block of a network whose sequencer runs elsewhere. What is stored for it, and the key that pays, are its own:
 * nothing of the local network may get mixed up with it.
 */
export function networkBlock(network: Omit<NewNetwork, 'kind' | 'layer'>, rollupName: string): string {
  const { name, chainId, grpc, rpc, asset, template, offset } = network;
  const remote = networkFrom({ ...network, kind: 'remote', layer: 'none' });
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
