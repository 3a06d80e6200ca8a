import { hexToBytes, keccakHex, quantity } from '@switchyard/protocol/ethereum';
import { productVersion } from '@switchyard/service';
import { data, readParams } from '../json/params.ts';
import { latestHeader } from '../json/resolve.ts';
import { CANCUN_FROM_GENESIS } from '../rules/forks.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { forkConfig } from './fork-config.ts';

/** Methods about the node itself and its network. */
export function nodeMethods({
  chain,
  clientVersion = toVersion('Switchyard/v'),
  forks = CANCUN_FROM_GENESIS,
  oldestProof = () => 0n,
  accounts = () => [],
}: Pick<RpcDeps, 'accounts' | 'chain' | 'clientVersion' | 'forks' | 'oldestProof'>): RpcMethods {
  const answers: RpcMethods = {
    web3_clientVersion: () => clientVersion,
    net_version: () => String(chain.chainId),
    net_listening: () => true,
    // Blocks come from the conductor, not from peers.
    net_peerCount: () => '0x0',
    eth_accounts: () => accounts(),
    eth_mining: () => false,
    eth_hashrate: () => '0x0',

    eth_capabilities() {
      const { hash, header } = latestHeader(chain);
      const all = { disabled: false, oldestBlock: '0x0' };
      return {
        head: { number: quantity(header.number), hash },
        state: all,
        tx: all,
        logs: all,
        receipts: all,
        blocks: all,
        stateproofs: { disabled: false, oldestBlock: quantity(oldestProof()) },
      };
    },

    eth_config() {
      const genesis = chain.header(0n);
      if (genesis === undefined) throw new Error('the chain has no block 0');
      return forkConfig(forks, {
        chainId: chain.chainId,
        genesisHash: genesis.hash,
        genesisTime: genesis.header.timestamp,
        time: latestHeader(chain).header.timestamp,
      });
    },
  };
  const withoutParameters = Object.entries(answers).map(([name, answer]) => [
    name,
    (params: unknown, context: Parameters<typeof answer>[1]) => {
      readParams(params, []);
      return answer(params, context);
    },
  ]);
  return {
    ...Object.fromEntries(withoutParameters),
    web3_sha3: (params) => keccakHex(hexToBytes(readParams(params, [data])[0])),
  };
}

/** A name with the version of this program and of its platform. @param name Up to the version. */
export function toVersion(name: string): string {
  return `${name}${productVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`;
}
