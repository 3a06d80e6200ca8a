import { address, amount, hash, time } from '@switchyard/rollup';
import { schema } from '@switchyard/service/api';

export const messageSchema = schema.object(
  {
    id: schema.u64('Consecutive from 0, the greeting of the chain'),
    sender: schema.text('The name that the sender chose; anybody may choose any'),
    message: schema.text('The text, at most 2,000 bytes'),
    address: schema.nullable(address),
    block: schema.u64('Number of its block'),
    time,
    hash: schema.nullable(hash('Of its transaction')),
  },
  { name: 'Message' },
);

export const accountSchema = schema.object(
  {
    address,
    nonce: schema.integer('Transactions that were executed', { max: 0xffff_ffff }),
    pendingNonce: schema.integer('What the next transaction needs, counting those that this node has passed on', {
      max: 0xffff_ffff,
    }),
    balances: schema.list(
      schema.object({ asset: schema.text('Its name, or its id as `ibc/...`'), amount }, { name: 'Balance' }),
    ),
  },
  { name: 'Account' },
);
