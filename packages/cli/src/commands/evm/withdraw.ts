import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@switchyard/protocol/values';
import { Failure, usage } from '@switchyard/service/failure';
import { addressArgument, parseCoins, readTimeout } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections, EvmPort } from '../../connect.ts';
import { withKey } from '../../key-options.ts';
import { mustBePayable } from '../destination.ts';
import { nodeForKey, withNode } from './options.ts';

const KEY_VARIABLES = ['ETH_PRIVATE_KEY'] as const;
/** Digits after the point of a coin of the rollup. */
const DECIMALS = 18;
const POLL_MS = 100;

const HELP = `
The coins are gone from the rollup when the command ends. The withdrawer of the bridge account pays them on the
sequencer, once for each event id.`;

/** `switchyard evm withdraw --to ADDRESS --amount N`: gives coins up on the rollup, to be paid on the sequencer. */
export function withdrawCommand(cli: Cli, connect: Connections) {
  const command = leaf(
    'withdraw',
    'take coins of the EVM rollup back to the sequencer',
    '--to astria1… --amount 0.5 --private-key-file mine.key',
  );
  return withNode(withKey(KEY_VARIABLES)(command))
    .requiredOption('--to <address>', 'who gets them on the sequencer, in bech32m form')
    .requiredOption(
      '--amount <n>',
      'how many coins; no more digits after the point than the asset has on the sequencer',
    )
    .option('--timeout <seconds>', 'how long to wait for the block', readTimeout, 30)
    .addHelpText('after', HELP)
    .action(async ({ to, amount, ...options }) => {
      const { secretFor } = await import('../../keys.ts');
      const { withdrawalCall, WITHDRAWER_ADDRESS } = await import('@switchyard/evm/client');
      const { prefix } = addressArgument('--to', to);
      const key = await secretFor('secp256k1', options, cli.world, KEY_VARIABLES);
      const node = await nodeForKey(options, key, cli, connect);
      const bridge = await node.bridgeContract();
      if (bridge === undefined)
        throw new Failure(
          `the rollup has no contract at ${WITHDRAWER_ADDRESS}, so its coins cannot be withdrawn: new genesis files with a bridge account have it`,
        );
      const { precision, divisor, bridgeAddress, asset } = bridge;
      const expected = addressArgument('the bridge account', bridgeAddress).prefix;
      if (prefix !== expected) addressArgument('--to', to, expected);
      if (to === bridgeAddress) throw usage(`--to: expected another account than the bridge account, got ${to}`);
      const rollupUrl = options.rpcUrl ?? cli.world.env.ETH_RPC_URL;
      await mustBePayable('--to', to, { ...options, rollupUrl }, cli, connect);
      const units = parseCoins('--amount', amount, precision);
      const value = units * divisor;
      const { addressOfKey } = await import('@switchyard/protocol/ethereum');
      const from = addressOfKey(key.secret);
      const held = await node.balance(from);
      const poor = (needed: bigint, fee: string) =>
        new Failure(
          `${from}: expected ${formatAmount(needed, DECIMALS)} coins${fee}, got ${formatAmount(held, DECIMALS)}`,
        );
      if (held < value) throw poor(value, '');
      const { raw, fee } = await node.signedCall(
        { to: WITHDRAWER_ADDRESS, value, data: withdrawalCall(to) },
        key.secret,
      );
      if (held < value + fee) throw poor(value + fee, ' with the fee');
      const hash = await node.send(raw);
      const block = await inclusion(node, hash, 1_000 * options.timeout);
      const event = (await node.withdrawals(block)).find(({ transactionHash }) => transactionHash === hash);
      if (event === undefined) throw new Failure(`transaction ${hash} is in block ${block}, which has no event of it`);
      const { eventId } = event;
      const shown = formatAmount(units, precision);
      cli.print({ from, to, amount: units, asset, wei: value, txHash: hash, block: Number(block), eventId }, [
        `withdrew ${shown} of ${from} in block ${block}`,
        `Transaction hash: ${hash}`,
        `${bridgeAddress} owes ${to} ${units} ${asset} for the event ${eventId}`,
      ]);
    });
}

/** Block that executed a transaction. @throws {Failure} when none did, or in time. */
async function inclusion(node: EvmPort, hash: string, timeoutMs: number): Promise<bigint> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { status, block, success, reason } = await node.transactionStatus(hash);
    if (status === 'included' && typeof block === 'string') {
      if (success === true) return BigInt(block);
      throw new Failure(`transaction ${hash} reverted in block ${BigInt(block)}: nothing was withdrawn`);
    }
    if (status === 'refused' || status === 'replaced')
      throw new Failure(
        `transaction ${hash} was ${status}, nothing was withdrawn${reason === undefined ? '' : `: ${String(reason)}`}`,
      );
    if (performance.now() > deadline)
      throw new Failure(
        `sent as ${hash}, which is ${String(status)} after ${timeoutMs / 1_000} s: \`switchyard evm transaction ${hash}\` shows its status`,
      );
    await sleep(POLL_MS);
  }
}
