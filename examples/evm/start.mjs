import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { evm, localNetwork } from '@switchyard/network';
import { clientsOf, deployCounter } from './dist/client.js';

const directory = join(import.meta.dirname, '.switchyard');
if (process.argv[2] === 'reset') {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}
const offset = Number(process.env.SWITCHYARD_PORT_OFFSET ?? 0);
const rollup = evm({ name: 'evm' });
const ports = { http: 8545 + offset, ws: 8546 + offset };
const network = await localNetwork({ rollups: [rollup], directory, listen: { [rollup.name]: ports } });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void network.close());
const [account] = network.accounts.evm;
const { http } = network.urls[rollup.name];
const address = await deployCounter(await clientsOf(http, account.key));
console.log(`${rollup.name} at ${http}, Counter at ${address}`);
console.log(`an account with funds: ${account.address}, key ${account.key}`);
console.log('Ctrl+C stops the network and keeps its state');
