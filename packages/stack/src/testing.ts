import type { Member, Network } from './plan.ts';
import { PROGRAM_NAMES, type ProgramName } from './process.ts';

const isProgram = (name: string): name is ProgramName => PROGRAM_NAMES.some((each) => each === name);

/** A local network with these members: `evm-conductor` runs the conductor. */
export function testNetwork(...labels: readonly string[]): Network {
  const fact = (key: string, value: string) => ({ value, from: { file: 'networks.toml', key } });
  const members = labels.map((label): Member => {
    const name = label === 'rollup' ? 'messenger' : (/[^-]+$/.exec(label)?.[0] ?? '');
    return { label, acts: isProgram(name) ? name : undefined, isOurs: isProgram(name) };
  });
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
