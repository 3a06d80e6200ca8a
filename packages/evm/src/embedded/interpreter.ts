import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { type ForkSchedule, forkAt } from '../forks.ts';
import { type Fork, includes } from '../interpreter/fork.ts';
import { pointEvaluation } from '../precompiles/kzg.ts';
import { nativeCrypto } from './native-crypto.ts';

/** EthereumJS's rules for blocks of the forks that chains of this node can have. */
export function rulesOf(chainId: bigint): (fork: Fork) => Common {
  const made = new Map<Fork, Common>();
  return (fork) => {
    const known = made.get(fork);
    if (known !== undefined) return known;
    const rules = createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
      hardfork: includes(fork, 'osaka') ? Hardfork.Osaka : includes(fork, 'prague') ? Hardfork.Prague : Hardfork.Cancun,
      customCrypto: { ...nativeCrypto, kzg: pointEvaluation },
    });
    made.set(fork, rules);
    return rules;
  };
}

/** The same for blocks by number and time in seconds. */
export function rulesAt(chainId: bigint, forks: ForkSchedule): (number: bigint, timestamp: bigint) => Common {
  const rules = rulesOf(chainId);
  return (_, timestamp) => rules(forkAt(forks, timestamp));
}

/** Those of Cancun. */
export function cancunRules(chainId: bigint): Common {
  return rulesOf(chainId)('cancun');
}
