import type { Input } from '@switchyard/client/http-api';
import { evm } from '@switchyard/explorer/contract';
import { ask, call } from '../api.ts';

/* Reads of a contract, which the explorer passes on to the node of its rollup, and its verification. */

/** A call that the contract refused. */
export class Reverted extends Error {
  override readonly name = 'Reverted';

  constructor(
    message: string,
    /** Data that the call reverted with, if any. */
    readonly data: string | undefined,
  ) {
    super(message);
  }
}

/** @throws {Reverted} */
export async function callContract(rollup: string, request: Readonly<Record<string, string>>): Promise<string> {
  return (await read(rollup, 'eth_call', request)).text();
}

/** Undefined until the transaction is in a block. */
export async function findReceipt(rollup: string, txhash: string): Promise<Input | undefined> {
  const receipt = await read(rollup, 'eth_getTransactionReceipt', { txhash });
  return receipt.isPresent ? receipt : undefined;
}

const path = (rollup: string): string => `/${encodeURIComponent(rollup)}/api`;

function read(rollup: string, action: string, parameters: Readonly<Record<string, string>>): Promise<Input> {
  return getResult(call(`${path(rollup)}?${new URLSearchParams({ module: 'proxy', action, ...parameters })}`));
}

/** @throws {Reverted} */
async function getResult(answering: Promise<Input>): Promise<Input> {
  const answer = await answering;
  const error = answer.at('error');
  if (error.isPresent) {
    const { value: data } = error.at('data');
    throw new Reverted(error.at('message').text(), typeof data === 'string' ? data : undefined);
  }
  const result = answer.at('result');
  if (answer.at('status').value === '0') throw new Error(result.text().replace(/^Error! /, ''));
  return result;
}

const VERIFICATION_EVERY_MS = 500;

/**
 * Resolves when the explorer has verified a contract.
 *
 * @param claim Parameters as Etherscan has them.
 * @throws {Error} with its reason not to.
 */
export async function verifySources(rollup: string, claim: Readonly<Record<string, string>>): Promise<void> {
  const body = new URLSearchParams({ module: 'contract', action: 'verifysourcecode', ...claim });
  const job = (await getResult(call(path(rollup), { method: 'POST', body }))).text();
  for (;;) {
    const { state, reason } = await ask(evm.getEvmVerification, { rollup, job });
    if (state === 'verified') return;
    if (state === 'failed') throw new Error(reason ?? 'not verified');
    await new Promise((resolve) => window.setTimeout(resolve, VERIFICATION_EVERY_MS));
  }
}
