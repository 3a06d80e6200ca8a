import { hashOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { columns, plain } from '../../print.ts';
import { nodeOf, withNode } from './options.ts';

/** `switchyard evm transaction HASH` */
export function transactionCommand(cli: Cli, connect: Connections) {
  return withNode(leaf('transaction', 'show the status of a transaction, or why it is in no block', '0x5f3a61…'))
    .argument('<hash>', 'as eth_sendRawTransaction answered it')
    .action(async (text, options) => {
      const hash = `0x${hashOf('hash', text)}`;
      const status = await (await nodeOf(options, cli, connect)).transactionStatus(hash);
      const facts = Object.entries(status).map(([name, value]) => [name, isQuantity(value) ? Number(value) : value]);
      cli.print(
        { hash, ...Object.fromEntries(facts) },
        columns(facts.map(([name, value]) => [`${name}:`, plain(String(value))])),
      );
    });
}

/** Numbers of Ethereum's methods, none of which is larger than a block number here. */
const isQuantity = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{1,12}$/.test(value);
