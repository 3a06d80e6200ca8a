import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hexOf } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { contractAddress } from './embedded/build-block.ts';
import { recoverSender } from './senders/recover.ts';
import { systemDeployments } from './system-contracts.ts';
import { decodeTransaction } from './transaction.ts';

const documents = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

test.each(systemDeployments())(
  'the transaction that deploys $address comes from its sender, and is in the README',
  (it) => {
    const { signature, nonce, chainId } = decodeTransaction(it.raw);
    expect([chainId, recoverSender(signature), contractAddress(it.sender, nonce)]).toEqual([
      undefined,
      it.sender,
      it.address,
    ]);
    expect(documents).toContain(` ${hexOf(it.raw)}\n`);
  },
);
