import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { pointEvaluation } from '../precompiles/testing.ts';

/** The rules of Cancun as EthereumJS has them, which tests ask for what is right. */
export function cancunRules(chainId: bigint): Common {
  return createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
    hardfork: Hardfork.Cancun,
    customCrypto: { kzg: pointEvaluation },
  });
}
