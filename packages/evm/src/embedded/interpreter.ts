import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { pointEvaluation } from '../precompiles/kzg.ts';
import { nativeCrypto } from './native-crypto.ts';

/** The rules of every block, as the EVM library has them. */
export function cancunRules(chainId: bigint): Common {
  return createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
    hardfork: Hardfork.Cancun,
    customCrypto: { ...nativeCrypto, kzg: pointEvaluation },
  });
}
