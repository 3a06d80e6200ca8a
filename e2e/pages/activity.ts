import { signText } from '@switchyard/messenger/testing';
import { txHashOf } from '@switchyard/protocol';
import { createPublicClient, createWalletClient, type Hex, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { compileToken, devAddress, devKey, getChain } from '../support/evm.ts';
import type { Network } from '../support/network.ts';
import { ALICE, ASSET, ask, BOB, getNonce, post } from '../support/submitting.ts';

const CONVERSATION: readonly (readonly ['alice' | 'bob', string])[] = [
  ['alice', 'Is the testnet up?'],
  ['bob', 'Yes, blocks every two seconds. The EVM rollup is on the same sequencer.'],
  ['alice', 'Then I deploy the token there and send you some.'],
  ['bob', 'The explorer has the inclusion proof of your message, by the way.'],
  ['alice', 'I checked it in the browser: signed by more than two thirds. 👍'],
];

/** Writes a short conversation. @returns the hash of its last message, executed. */
export async function talk(network: Network): Promise<string> {
  const url = network.url('rollup');
  const chainId = String((await ask(`${url}/v1/status`)).body.chainId);
  const nonces = { alice: await getNonce(url, ALICE), bob: await getNonce(url, BOB) };
  let last = '';
  for (const [name, text] of CONVERSATION) {
    const signer = name === 'alice' ? ALICE : BOB;
    const bytes = signText({ nonce: nonces[name], chainId, text, from: name, feeAsset: ASSET }, signer);
    nonces[name] += 1;
    const { status, body } = await post(`${url}/v1/transactions`, bytes);
    if (status !== 202) throw new Error(`${text}: ${status} ${JSON.stringify(body)}`);
    last = txHashOf(bytes);
    // Each in a block of its own, as people write.
    await ask(`${url}/v1/transactions/${last}?wait=executed&timeoutMs=9000`);
  }
  return last;
}

export interface Token {
  readonly address: Hex;
  /** Hash of the last transfer. */
  readonly transaction: Hex;
}

/** Deploys a token on the EVM rollup and sends some of it around. */
export async function trade(network: Network): Promise<Token> {
  const chain = getChain(network);
  const transport = http(network.url('evm'));
  const account = privateKeyToAccount(devKey(0));
  const wallet = createWalletClient({ chain, transport, account });
  const reader = createPublicClient({ chain, transport });
  const { abi, bytecode } = await compileToken();
  const deployment = await reader.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode, args: ['Harbour Credit', 'HBC', parseEther('1000000')] }),
  });
  const address = deployment.contractAddress;
  if (address === null || address === undefined) throw new Error('the token was not deployed');
  let transaction: Hex = '0x';
  for (const [index, amount] of ['2500', '120.5', '77', '1'].entries()) {
    const to = devAddress(1 + (index % 4));
    await wallet.sendTransaction({ to, value: parseEther('1.25') });
    transaction = await wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [to, parseEther(amount)],
    });
    await reader.waitForTransactionReceipt({ hash: transaction });
  }
  return { address, transaction };
}
