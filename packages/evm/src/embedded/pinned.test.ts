import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database.ts';
import { testChain, testDeposit } from '../testing.ts';
import { CONTRACTS, createdAt, creationOf, words } from './testing/contracts.ts';
import { deployAll, NAMES } from './testing/random-blocks.suite.ts';

/*
 * The blocks of a fixed script. A hash that changes means that a node of this version and one of an earlier version
 * part ways on the same sequencer blocks.
 */
async function script(direct: boolean): Promise<string[]> {
  const { account, sequence } = await testChain({ database: openMemoryDatabase(), direct });
  const [rich, other] = [account(0), account(1)];
  const nobody = `0x${'ee'.repeat(20)}` as const;
  const at = (name: (typeof NAMES)[number]) => createdAt(rich.address, NAMES.indexOf(name));
  const gwei = 10n ** 9n;
  const blocks = [
    await sequence([]),
    await sequence(deployAll(rich)),
    await sequence([
      other.transfer(nobody, 10n ** 18n),
      other.transfer(nobody, 1n, { gasPrice: 2n * gwei }),
      other.transfer(nobody, 1n, { gasPrice: 2n * gwei, chainId: undefined }),
      other.transfer(nobody, 1n, {
        gasPrice: 2n * gwei,
        gasLimit: 50_000n,
        accessList: [{ address: nobody, storageKeys: [] }],
      }),
      testDeposit(nobody, 5n),
      testDeposit('nobody', 5n),
      Uint8Array.of(1, 2, 3),
      other.transfer(nobody, 1n, { nonce: 99n }),
    ]),
    await sequence(
      [
        other.call(at('store'), words(1n, 2n)),
        other.call(at('toggle'), new Uint8Array()),
        other.call(at('toggle'), new Uint8Array()),
        other.call(at('observe'), new Uint8Array()),
        other.call(at('create'), creationOf(CONTRACTS.store), { value: 5n }),
        other.call(at('create2'), creationOf(CONTRACTS.store), { value: 5n }),
        other.call(at('revert'), new Uint8Array()),
        other.call(at('loop'), new Uint8Array(), { gasLimit: 50_000n }),
        other.call(at('forward'), words(nobody), { value: 7n }),
        other.call(at('destroy'), words(nobody), { value: 7n }),
      ],
      // The same second as the block before.
      { seconds: 1_700_000_003n },
    ),
    await sequence([], { seconds: 1_700_010_000n }),
  ];
  return blocks.map(({ block }) => block.hash);
}

test('the blocks of the script have these hashes', async () => {
  const hashes = await script(true);
  expect(hashes).toMatchInlineSnapshot(`
    [
      "0xacef6af8d2da33226c678b89c896372d9f7e4f5f992b1881826277fae637088e",
      "0x875c9f00cc57c95973e0b37485ddacb084186d09678b75636a42e825d7b034f6",
      "0x631911961b435c737d14ca2210a5aff3b2e56a39ac7c4e48853cc2dec91ed169",
      "0x3e9aa97372224d32b10459bc4f3ada85bfae278e7ec4617c51e8221b16287407",
      "0x237309bfbd8243f3f8b30ad499c0cb0604806834c8e6cb6bef88f7cf5af697da",
    ]
  `);
  expect(await script(false)).toEqual(hashes);
});
