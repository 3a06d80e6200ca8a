import { httpApi, type Input } from '@switchyard/client/http-api';

/** The explorer that served this page passes reads on to the node of a rollup. */
const service = httpApi('explorer', { url: new URL('.', location.href).href });

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
export async function callContract(rollup: string, call: Readonly<Record<string, string>>): Promise<string> {
  return (await read(rollup, 'eth_call', call)).text();
}

/** Undefined until the transaction is in a block. */
export async function findReceipt(rollup: string, txhash: string): Promise<Input | undefined> {
  const receipt = await read(rollup, 'eth_getTransactionReceipt', { txhash });
  return receipt.isPresent ? receipt : undefined;
}

async function read(rollup: string, action: string, parameters: Readonly<Record<string, string>>): Promise<Input> {
  const query = new URLSearchParams({ module: 'proxy', action, ...parameters });
  const answer = await service(`/${encodeURIComponent(rollup)}/api?${query}`);
  const error = answer.at('error');
  if (error.isPresent) {
    const { value: data } = error.at('data');
    throw new Reverted(error.at('message').text(), typeof data === 'string' ? data : undefined);
  }
  if (answer.at('status').value === '0') throw new Error(answer.at('result').text());
  return answer.at('result');
}
