import type { Layer } from '../init/layers.ts';
import { envTable, explorerService, rollupServices, type Settings, serviceTable } from '../init/rollup-services.ts';
import type { Template } from '../init/templates.ts';
import { COMET_VERSION } from './binary.ts';
import { COMET_NETWORK, cometLabel, nodeDirectory, nodePorts, sequencerLabel } from './layout.ts';

/** What the block of the network under CometBFT is written from. */
export interface CometNetwork {
  readonly chainId: string;
  readonly nativeDenom: string;
  readonly rollupName: string;
  readonly offset: number;
  readonly validators: number;
  readonly fullNodes: number;
  readonly template: Template;
  readonly layer: Layer;
}

const text = JSON.stringify;

/**
 * The block `[networks.cometbft]`: for each node a `sequencer-K`, which is our application, and the `cometbft-K` that
 * runs it. What is stored is apart from the network `local`, which has another chain.
 */
export function cometNetworkBlock(network: CometNetwork): string {
  const { chainId, nativeDenom, rollupName, offset, validators, fullNodes, template, layer } = network;
  const nodes = Array.from({ length: validators + fullNodes }, (_, index) => index);
  const first = nodePorts(0, offset);
  const env = (service: string, settings: Settings) => envTable(COMET_NETWORK, service, settings);
  const urls = (port: 'rpc' | 'grpc') =>
    nodes.map((index) => `http://127.0.0.1:${nodePorts(index, offset)[port]}`).join(',');
  const store = (service: string) => `$SWITCHYARD_INSTANCE/data/${COMET_NETWORK}/${service}`;
  const places = {
    messengerGenesis: `$SWITCHYARD_INSTANCE/config/${COMET_NETWORK}/rollup_genesis.json`,
    evmGenesis: `$SWITCHYARD_INSTANCE/config/${COMET_NETWORK}/evm_genesis.json`,
    state: store,
  };
  const head = `# ${validators} validators and ${fullNodes} full nodes under CometBFT, all on this machine. sequencer-K is our application, cometbft-K
# the consensus that runs it, with its home in config/${COMET_NETWORK}/node-K; an empty local_path there means the program
# \`cometbft\` from SWITCHYARD_COMETBFT, from PATH, or from bin/.
[networks.${COMET_NETWORK}]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(`http://127.0.0.1:${first.grpc}`)}
sequencer_rpc = ${text(`http://127.0.0.1:${first.rpc}`)}
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}
`;
  const pairs = nodes.map((index) => {
    const ports = nodePorts(index, offset);
    const [application, consensus] = [sequencerLabel(index), cometLabel(index)];
    return `${serviceTable(COMET_NETWORK, application, { program: 'builtin:sequencer' })}${env(application, [
      ['svc_sequencer_engine', 'cometbft'],
      ['svc_sequencer_listen_addr', `tcp://127.0.0.1:${ports.abci}`],
      ['svc_sequencer_cometbft_rpc_url', `http://127.0.0.1:${ports.rpc}`],
      ['svc_sequencer_grpc_addr', `127.0.0.1:${ports.grpc}`],
      ['svc_sequencer_metrics_http_listener_addr', `127.0.0.1:${ports.metrics}`],
      ['svc_sequencer_db_filepath', `$SWITCHYARD_INSTANCE/data/${nodeDirectory(index)}/sequencer`],
      ['svc_sequencer_genesis_filepath', `$SWITCHYARD_INSTANCE/config/${COMET_NETWORK}/genesis.json`],
    ])}
[networks.${COMET_NETWORK}.services.${consensus}]
name = ${text(consensus)}
version = "v${COMET_VERSION}"
local_path = ""
args = ["start", "--home", "$SWITCHYARD_INSTANCE/config/${nodeDirectory(index)}"]
depends_on = [${text(application)}]
`;
  });
  const localLayer = () =>
    [
      ...[serviceTable(COMET_NETWORK, 'da'), env('da', [['svc_da_db_filepath', store('da')]])],
      serviceTable(COMET_NETWORK, 'relayer'),
      env('relayer', [
        ['svc_relayer_sequencer_abci_endpoint', urls('rpc')],
        ['svc_relayer_sequencer_grpc_endpoint', urls('grpc')],
        ['svc_relayer_db_filepath', store('relayer')],
      ]),
    ].join('');
  return `${head}${pairs.join('')}${serviceTable(COMET_NETWORK, 'composer')}${env('composer', [
    // In the same order: where the first fails or is late, another takes over.
    ['svc_composer_sequencer_abci_endpoint', urls('rpc')],
    ['svc_composer_sequencer_grpc_endpoint', urls('grpc')],
    ['svc_composer_fee_asset', nativeDenom],
    ['svc_composer_db_filepath', store('composer')],
  ])}${layer === 'local' ? localLayer() : ''}${rollupServices({
    network: COMET_NETWORK,
    template,
    offset,
    conductor: [
      ['svc_conductor_sequencer_cometbft_url', urls('rpc')],
      ['svc_conductor_sequencer_grpc_url', urls('grpc')],
    ],
    places,
    sequencerFaucet: true,
    devAccounts: true,
  })}${explorerService({ network: COMET_NETWORK, places })}`;
}
