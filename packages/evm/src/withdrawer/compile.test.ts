import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';
import { expect, test } from 'vitest';
import { ABI, CODE, COMPILER, INPUT } from '../gen/sequencer-withdrawer.ts';

const PATH = 'contracts/SequencerWithdrawer.sol';

test('the code of the contract is made of its source by the compiler and settings that are recorded with it', () => {
  expect(INPUT.sources[PATH].content).toBe(readFileSync(join(import.meta.dirname, '../..', PATH), 'utf8'));
  expect(solc.version()).toContain(COMPILER);
  const outputSelection = { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } };
  const input = { ...INPUT, settings: { ...INPUT.settings, outputSelection } };
  const { contracts, errors } = JSON.parse(solc.compile(JSON.stringify(input)));
  expect(errors).toBeUndefined();
  const { abi, evm } = contracts[PATH].SequencerWithdrawer;
  expect(abi).toEqual(ABI);
  expect(`0x${evm.deployedBytecode.object}`).toBe(CODE);
}, 60_000);
