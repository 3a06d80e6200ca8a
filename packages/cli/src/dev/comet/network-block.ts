import { memberTables } from '../init/network-text.ts';
import { localNetwork } from '../init/networks-file.ts';
import { networkFrom } from '../init/new-network.ts';
import type { InstanceSettings } from '../init/settings.ts';
import { COMET_VERSION } from './binary.ts';
import { COMET_NETWORK, cometLabel, type NodeCounts, nodeDirectory, sequencerLabel } from './layout.ts';

const text = JSON.stringify;

/**
 * The block `[networks.cometbft]`: for each node a `sequencer-K`, which is our application, and the `cometbft-K` that
 * runs it. What is stored is apart from the network `local`, which has another chain.
 */
export function cometNetworkBlock(of: InstanceSettings & NodeCounts): string {
  const { chainId, nativeDenom, rollupName, offset, validators, fullNodes, template, layer } = of;
  const nodes = validators + fullNodes;
  const local = localNetwork({ chainId, nativeDenom, offset, template, layer });
  const network = networkFrom({
    ...{ name: COMET_NETWORK, kind: 'cometbft', chainId, asset: nativeDenom, nodes, template, layer, offset },
    // The first node has the ports of the network `local`.
    ...{ rpc: local.rpc.value, grpc: local.grpc.value },
  });
  const foreign = new Map(
    Array.from({ length: nodes }, (_, index) => [cometLabel(index), consensusTable(index)] as const),
  );
  const head = `# ${validators} validators and ${fullNodes} full nodes under CometBFT, all on this machine. sequencer-K is our application, cometbft-K
# the consensus that runs it, with its home in config/${COMET_NETWORK}/node-K; an empty local_path there means the program
# \`cometbft\` from SWITCHYARD_COMETBFT, from PATH, or from bin/.
[networks.${COMET_NETWORK}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(network.grpc.value)}
sequencer_rpc = ${text(network.rpc.value)}
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}
`;
  return `${head}${memberTables(network, local, { foreign })}`;
}

const consensusTable = (index: number) => `
[networks.${COMET_NETWORK}.services.${cometLabel(index)}]
name = ${text(cometLabel(index))}
version = "v${COMET_VERSION}"
local_path = ""
args = ["start", "--home", "$SWITCHYARD_INSTANCE/config/${nodeDirectory(index)}"]
depends_on = [${text(sequencerLabel(index))}]
`;
