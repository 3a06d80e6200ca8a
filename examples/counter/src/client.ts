// Usage: client.js total | client.js add AMOUNT. ROLLUP_URL names the node, ROLLUP_PRIVATE_KEY the signer's key.
import { rollupClient } from '@switchyard/client';
import { createSigner, formatAddress, parseSeed } from '@switchyard/protocol';
import { signAdd } from './transaction.ts';

const { ROLLUP_URL: url = 'http://127.0.0.1:3030', ROLLUP_PRIVATE_KEY: key = '' } = process.env;

async function total(): Promise<number> {
  const response = await fetch(`${url}/v1/total`);
  console.log(await response.text());
  return response.ok ? 0 : 1;
}

async function add(amount: bigint): Promise<number> {
  const rollup = rollupClient({ url });
  const signer = createSigner(parseSeed(key));
  const { chainId } = await rollup.status();
  const nonce = await rollup.nonce(formatAddress(signer.account));
  const { hash } = await rollup.submit(signAdd({ nonce, chainId, amount }, signer));
  const outcome = await rollup.waitForTransaction(hash);
  const isExecuted = outcome?.state === 'executed' || outcome?.state === 'firm';
  console.log(isExecuted ? `added in block ${outcome.block}` : (outcome?.reason ?? `not executed yet: ${hash}`));
  return isExecuted ? 0 : 1;
}

async function run([command, amount = '']: readonly string[]): Promise<number> {
  if (command === 'total') return total();
  if (command === 'add' && /^\d{1,19}$/.test(amount)) return add(BigInt(amount));
  console.error('usage: client.js total | client.js add AMOUNT');
  return 64;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
