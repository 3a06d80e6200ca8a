import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signText, signTransfer } from '@switchyard/messenger/client';
import { createSigner, fromHex } from '@switchyard/protocol';
import { alice, bob, carol } from '../accounts/accounts.ts';
import { messenger } from '../rollups.ts';
import type { MakeTransaction } from './load.ts';
import { runSeed } from './run.ts';
import { compose } from './stack.ts';

const make: MakeTransaction = ({ account, nonce, chainId, chance }) => {
  const signer = createSigner(fromHex(account.key));
  if (chance.happens(0.2)) {
    const to = chance.pick([alice, bob, carol]).address;
    return signTransfer(
      { nonce, chainId, to, amount: BigInt(chance.integer(1, 100)), asset: 'nria', feeAsset: 'nria' },
      signer,
    );
  }
  return signText(
    { nonce, chainId, text: `text ${nonce} of ${account.name}`, from: account.name, feeAsset: 'nria' },
    signer,
  );
};
const directory = mkdtempSync(join(tmpdir(), 'sim-'));
const composition = await compose(messenger());
const [, , from = '1', to = from, heights = '100', faults] = process.argv;
for (let seed = Number(from); seed <= Number(to); seed += 1) {
  const begin = performance.now();
  const result = await runSeed({
    composition,
    make,
    seed,
    heights: Number(heights),
    directory,
    ...(faults !== undefined && { faults: faults === '' ? [] : (faults.split(',') as never) }),
    note: (line) => console.log(line),
  });
  const { logs, ...rest } = result;
  console.log(rest, performance.now() - begin);
  if (rest.violations.length > 0 && process.env.LOGS)
    for (const label of Object.keys(logs)) console.log(label, logs[label]?.slice(-40));
}
rmSync(directory, { recursive: true });
