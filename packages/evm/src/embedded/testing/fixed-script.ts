import type { TestChain } from '../../testing.ts';
import { testDeposit } from '../../testing.ts';
import { CONTRACTS, createdAt, getCreation, words } from './contracts.ts';
import { deployAll, NAMES } from './random-blocks.suite.ts';

/** Contracts that are in the pinned blocks: later additions to the list are not. */
const PINNED = 10;

/** Executes a fixed script on a new chain. @returns the hashes of its blocks. */
export async function fixedScript({ account, sequence }: TestChain): Promise<string[]> {
  const [rich, other] = [account(0), account(1)];
  const recipient = `0x${'ee'.repeat(20)}` as const;
  const at = (name: (typeof NAMES)[number]) => createdAt(rich.address, NAMES.indexOf(name));
  const gwei = 10n ** 9n;
  const blocks = [
    await sequence([]),
    await sequence(deployAll(rich, NAMES.slice(0, PINNED))),
    await sequence([
      other.transfer(recipient, 10n ** 18n),
      other.transfer(recipient, 1n, { gasPrice: 2n * gwei }),
      other.transfer(recipient, 1n, { gasPrice: 2n * gwei, chainId: undefined }),
      other.transfer(recipient, 1n, {
        gasPrice: 2n * gwei,
        gasLimit: 50_000n,
        accessList: [{ address: recipient, storageKeys: [] }],
      }),
      testDeposit(recipient, 5n),
      testDeposit('not an address', 5n),
      Uint8Array.of(1, 2, 3),
      other.transfer(recipient, 1n, { nonce: 99n }),
    ]),
    await sequence(
      [
        other.call(at('store'), words(1n, 2n)),
        other.call(at('toggle'), new Uint8Array()),
        other.call(at('toggle'), new Uint8Array()),
        other.call(at('observe'), new Uint8Array()),
        other.call(at('create'), getCreation(CONTRACTS.store), { value: 5n }),
        other.call(at('create2'), getCreation(CONTRACTS.store), { value: 5n }),
        other.call(at('revert'), new Uint8Array()),
        other.call(at('loop'), new Uint8Array(), { gasLimit: 50_000n }),
        other.call(at('forward'), words(recipient), { value: 7n }),
        other.call(at('destroy'), words(recipient), { value: 7n }),
      ],
      // This block has the second of the block before.
      { seconds: 1_700_000_003n },
    ),
    await sequence([], { seconds: 1_700_010_000n }),
  ];
  return blocks.map(({ block }) => block.hash);
}
