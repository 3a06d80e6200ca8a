// Usage: client.js total | client.js add AMOUNT. ROLLUP_URL names the node, ROLLUP_PRIVATE_KEY the signer's key.
import { rollupClient } from '@switchyard/client';
import { createSigner, formatAddress, parseSeed } from '@switchyard/protocol';
import { signAdd } from './transaction.ts';

const { ROLLUP_URL: url = 'http://127.0.0.1:3030', ROLLUP_PRIVATE_KEY: key = '' } = process.env;
const [command, amount = ''] = process.argv.slice(2);

if (command === 'total') {
  const response = await fetch(`${url}/v1/total`);
  console.log(await response.text());
} else if (command === 'add' && /^\d{1,19}$/.test(amount)) {
  const rollup = rollupClient({ url });
  const signer = createSigner(parseSeed(key));
  const { chainId } = await rollup.status();
  const nonce = await rollup.nonce(formatAddress(signer.account));
  const { hash } = await rollup.submit(signAdd({ nonce, chainId, amount: BigInt(amount) }, signer));
  const outcome = await rollup.waitForTransaction(hash);
  const isExecuted = outcome?.state === 'executed' || outcome?.state === 'firm';
  console.log(isExecuted ? `added in block ${outcome.block}` : (outcome?.reason ?? `not executed yet: ${hash}`));
  process.exitCode = isExecuted ? 0 : 1;
} else {
  console.error('usage: client.js total | client.js add AMOUNT');
  process.exitCode = 64;
}
