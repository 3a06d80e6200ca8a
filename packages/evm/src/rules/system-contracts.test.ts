import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createdAddress } from '@switchyard/evm-machine/created-address';
import { recoverSender } from '@switchyard/evm-machine/recover';
import { bytesToHex, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { CREATE2_DEPLOYER_ADDRESS } from '../genesis/file.ts';
import { builderDeployments, systemDeployments } from '../testing/system-deployments.ts';
import { decodeTransaction } from '../transactions/transaction.ts';

const documents = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

test.each(systemDeployments())(
  'the transaction that deploys $address comes from its sender, and is in the README',
  (it) => {
    const { signature, nonce, chainId } = decodeTransaction(it.raw);
    expect([chainId, recoverSender(signature), createdAddress(it.sender, nonce)]).toEqual([
      undefined,
      it.sender,
      it.address,
    ]);
    expect(documents).toContain(` ${bytesToHex(it.raw)}\n`);
  },
);

// EIP-1014: of the factory, the salt and the hash of the creation code.
test.each(builderDeployments())(
  'the input of the factory that deploys $address leads there, and is in the README',
  (it) => {
    const input = hexToBytes(it.input);
    const hash = keccak256(input.subarray(32));
    const parts = [Uint8Array.of(0xff), hexToBytes(CREATE2_DEPLOYER_ADDRESS), input.subarray(0, 32), hash];
    expect(bytesToHex(keccak256(Buffer.concat(parts)).subarray(12))).toBe(it.address);
    expect(documents).toContain(` ${it.input}\n`);
  },
);
