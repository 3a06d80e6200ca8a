import type { ToSign, TransactionOutcome } from '@switchyard/client/rollup';
import type { MessengerAction } from '@switchyard/messenger/client';
import { formatAddress, toHex } from '@switchyard/protocol/values';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { Connections, RollupPort } from '../../connect.ts';
import { getRollup, type SubmitOptions } from './options.ts';
import { shownOutcome } from './outcome.ts';

interface Submission {
  /** For people: `Transfer`, `Text Transaction`. */
  readonly title: string;
  readonly keyVariables: readonly string[];
  readonly options: SubmitOptions;
  readonly cli: Cli;
  readonly connect: Connections;
}

/**
 * Signs, sends, waits, and prints the outcome.
 *
 * @param prepare Checks the arguments, and makes an action of them.
 */
export async function submit(
  { title, keyVariables, options, cli, connect }: Submission,
  prepare: () => Promise<MessengerAction>,
): Promise<void> {
  const { mustBeLocal, getSigner } = await import('../../keys.ts');
  const { submitNext } = await import('@switchyard/client/rollup');
  const { sign } = await import('@switchyard/messenger/client/sign');
  const signer = await getSigner(options, cli.world, keyVariables);
  const action = await prepare();
  const own: Connections = {
    ...connect,
    rollup(url) {
      mustBeLocal(signer, url, options);
      return connect.rollup(url);
    },
  };
  const rollup = await getRollup(options, cli, own);
  const sender = formatAddress(signer.account, options.prefix);
  const chosen = options.chainId ?? cli.world.env.ROLLUP_CHAIN_ID;
  const next = async (): Promise<ToSign> => {
    const { body, blocks } = await rollup.toSign(sender, options.validFor);
    return { body: { ...body, chainId: chosen || body.chainId }, blocks };
  };
  const build = ({ body }: ToSign) => sign({ ...body, actions: [action] }, signer);

  if (options.signOnly) {
    const signed = await next();
    const transaction = `0x${toHex(build(signed))}`;
    return cli.print({ transaction, sender, ...signed.body }, transaction);
  }
  const port = { next, submit: (bytes: Uint8Array) => submitBytes(rollup, bytes) };
  const { submitted: hash, next: signed } = await submitNext(port, build);
  const { nonce, chainId } = signed.body;
  const outcome: TransactionOutcome = options.wait
    ? ((await rollup.waitUntilExecuted(hash, 1_000 * options.timeout, signed.blocks)) ?? { hash, state: 'queued' })
    : { hash, state: 'queued' };
  const { state, block, reason } = outcome;
  const value = { hash, sender, nonce, chainId, ...shownOutcome(outcome) };
  const sending = `sending tx from address: ${sender}`;
  if (state === 'executed' || state === 'firm') {
    return cli.print(value, [
      sending,
      `${title} completed!`,
      `Executed in block: ${block}`,
      `Transaction hash: ${hash}`,
    ]);
  }
  if (state === 'expired') {
    if (cli.json) cli.print(value, []);
    throw new Failure(`${title} has expired, since no block had it in time: submit it again (${hash})`);
  }
  if (state === 'refused') {
    if (cli.json) cli.print(value, []);
    throw new Failure(`${title} refused${block === undefined ? '' : ` in block ${block}`}: ${reason} (${hash})`);
  }
  if (options.wait) {
    if (cli.json) cli.print(value, []);
    throw new Failure(
      `${title} was accepted but not executed within ${options.timeout} s, it is ${state}: ask again with \`rollup-cli query transaction ${hash}\``,
    );
  }
  cli.print(value, [sending, `${title} accepted`, `Transaction hash: ${hash}`]);
}

async function submitBytes(rollup: RollupPort, bytes: Uint8Array): Promise<string> {
  try {
    return await rollup.submit(bytes);
  } catch (error) {
    const expected = getCode(error) === 'wrong-chain' ? findFact(error, 'expected') : undefined;
    throw expected === undefined ? error : new Failure(wrongChain(expected));
  }
}

function wrongChain(expected: string): string {
  return `the rollup refused: its chain id is ${expected}, and the transaction is signed for another: give --chain-id ${expected}, or neither --chain-id nor ROLLUP_CHAIN_ID`;
}

function findFact(error: unknown, name: string): string | undefined {
  if (!(error instanceof Error) || !('facts' in error)) return undefined;
  const facts: unknown = error.facts;
  const fact: unknown = typeof facts === 'object' && facts !== null ? Reflect.get(facts, name) : undefined;
  return typeof fact === 'string' ? fact : undefined;
}

function getCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
