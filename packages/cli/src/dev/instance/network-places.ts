import type { Places } from '@switchyard/stack/network';
import { COMET_NETWORK } from '../comet/layout.ts';

/** The instance's directory in the texts of its files. */
const DIRECTORY = '$SWITCHYARD_INSTANCE';

export const rollupGenesisName = (network: string): string => `${network}_rollup_genesis.json`;
export const evmGenesisName = (network: string): string => `${network}_evm_genesis.json`;
export const composerKeyName = (network: string): string => `${network}_composer_priv_key`;

/**
 * Files of a network. The network `local` has the usual names; chains and keys of the others are apart from them.
 *
 * @param directory That of the instance.
 */
export function toPlaces(network: string, networksFile: string, directory = DIRECTORY): Places {
  const config = (name: string) => `${directory}/config/${name}`;
  const secret = (name: string) => ({ value: config(name), from: { file: `${directory}/config`, key: name } });
  const [isLocal, isComet] = [network === 'local', network === COMET_NETWORK];
  const own = (usual: string, other: string) => config(isLocal ? usual : isComet ? `${COMET_NETWORK}/${usual}` : other);
  return {
    networksFile,
    config,
    data: (label) => `${directory}/data/${isLocal ? '' : `${network}/`}${label}`,
    sequencerGenesis: own('genesis.json', 'genesis.json'),
    messengerGenesis: own('rollup_genesis.json', rollupGenesisName(network)),
    evmGenesis: own('evm_genesis.json', evmGenesisName(network)),
    composerKey: config(isLocal || isComet ? 'composer_dev_priv_key' : composerKeyName(network)),
    executionSecret: secret('execution_secret'),
    composerSecret: secret('composer_secret'),
  };
}
