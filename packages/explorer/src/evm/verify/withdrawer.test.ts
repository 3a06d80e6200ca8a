import { WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import { ABI, CODE, COMPILER, INPUT } from '@switchyard/evm/client/withdrawer';
import { testChain } from '@switchyard/evm/testing';
import { checksummed } from '@switchyard/protocol/ethereum';
import solc from 'solc';
import { expect, test } from 'vitest';
import { type EvmExplorer, evmExplorer } from '../testing.ts';
import { verifyContract } from './verify-contract.ts';

async function withExplorer(withdrawer: boolean, check: (explorer: EvmExplorer) => Promise<void>) {
  const explorer = await evmExplorer({ chain: await testChain({ genesis: { withdrawer } }) });
  try {
    await explorer.indexed();
    await check(explorer);
  } finally {
    await explorer.close();
  }
}

test('the contract that takes coins back is verified from the beginning, with its source', () =>
  withExplorer(true, async ({ api }) => {
    const { verification } = await api(`/contracts/${WITHDRAWER_ADDRESS}`);
    expect(verification).toMatchObject({
      ...{ match: 'full', name: 'SequencerWithdrawer', compiler: COMPILER, abi: ABI, settings: INPUT.settings },
      sources: { 'contracts/SequencerWithdrawer.sol': expect.stringContaining('function withdrawToSequencer') },
    });
    const { items } = await api('/contracts');
    expect(items).toMatchObject([{ address: checksummed(WITHDRAWER_ADDRESS), match: 'full' }]);
  }));

test('a chain without it has no such contract, and the same code elsewhere has to be verified', async () => {
  await withExplorer(false, async ({ api }) => {
    expect(await api(`/contracts/${WITHDRAWER_ADDRESS}`)).toMatchObject({ verification: null });
  });
  await withExplorer(true, async ({ api, chain, indexed }) => {
    // Copies the rest of this code, and returns it.
    const creation = Buffer.from(`600b380380600b5f395ff3${CODE.slice(2)}`, 'hex');
    const { receipts } = await chain.sequence([chain.account(0).deploy(creation, { gasLimit: 3_000_000n })]);
    await indexed();
    const [{ contractAddress, status } = {}] = receipts;
    expect(status).toBe(1);
    expect(await api(`/contracts/${contractAddress}`)).toMatchObject({ verification: null });
    expect((await api('/contracts')).items).toEqual([]);
  });
});

test('the sources that come with it are what verification finds', async () => {
  const claim = { input: INPUT, contract: undefined, constructorArguments: undefined };
  const compile = async (input: string) => ({ version: solc.version(), output: solc.compile(input) });
  const { match } = await verifyContract(claim, { code: CODE.slice(2), creation: undefined }, compile);
  expect(match.kind).toBe('full');
}, 60_000);
