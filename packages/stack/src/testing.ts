import { memberFromLabel, type Network } from './network.ts';

/** A local network with these members: `evm-conductor` runs the conductor. */
export function testNetwork(...labels: readonly string[]): Network {
  const fact = (key: string, value: string) => ({ value, from: { file: 'networks.toml', key } });
  const members = labels.map((label) => memberFromLabel(label));
  return {
    ...{ name: 'local', kind: 'solo', offset: 0, members, layerAccount: 'celestia1test' },
    ...{ chainId: fact('sequencer_chain_id', 'chain'), asset: fact('native_denom', 'ntia') },
    ...{ rpc: fact('sequencer_rpc', 'http://127.0.0.1:26657'), grpc: fact('sequencer_grpc', 'http://127.0.0.1:8080') },
    places: {
      networksFile: 'networks.toml',
      config: (name) => `config/${name}`,
      data: (label) => `data/${label}`,
      ...{ sequencerGenesis: 'genesis.json', messengerGenesis: 'rollup.json', evmGenesis: 'evm.json' },
      composerKey: 'key',
      ...{ executionSecret: fact('execution_secret', 'a'), composerSecret: fact('composer_secret', 'b') },
    },
  };
}
