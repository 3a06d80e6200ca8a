import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { pointEvaluation } from '../precompiles/testing.ts';

/** The rules of Cancun as EthereumJS has them, used by tests as the reference. */
export function cancunRules(chainId: bigint): Common {
  return createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
    hardfork: Hardfork.Cancun,
    customCrypto: { kzg: pointEvaluation },
  });
}
