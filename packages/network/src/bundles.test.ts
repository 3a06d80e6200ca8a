import { collectorClient } from '@switchyard/client';
import { sign } from '@switchyard/messenger/client';
import { localNetwork, messenger } from '@switchyard/network';
import { createSigner, fromHex, parseDenom, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';

test('one block has both entries of a bundle, next to each other', async () => {
  const rollups = [messenger({ name: 'shop' }), messenger({ name: 'bank' })] as const;
  await using network = await localNetwork({ rollups, listen: { composer: { collector: 0 } } });
  const signer = createSigner(fromHex(network.accounts.alice.key));
  const entry = async (name: 'shop' | 'bank', text: string) => {
    const { chainId } = await network.client(name).status();
    const action = { kind: 'sendText', name: 'alice', text, feeAsset: parseDenom('nria') } as const;
    return { rollup: rollupIdFromName(name), transaction: sign({ nonce: 0, chainId, actions: [action] }, signer) };
  };
  const entries = [await entry('shop', 'one pear'), await entry('bank', 'two coins')] as const;

  const collector = collectorClient({ url: network.urls.composer?.collector ?? '' });
  const id = await collector.submitBundle(entries);
  const [sold, paid] = await Promise.all([
    network.client('shop').waitFor(txHashOf(entries[0].transaction)),
    network.client('bank').waitFor(txHashOf(entries[1].transaction)),
  ]);
  expect(sold.sequencerHeight).toBe(paid.sequencerHeight);
  expect(await collector.bundle(id)).toMatchObject({ kind: 'sequenced', height: sold.sequencerHeight });
  collector.close();
});
