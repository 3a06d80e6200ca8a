import { execute } from '../interpreter/execute.ts';
import { runInTurns } from '../interpreter/turns.ts';
import type { Outcome } from '../interpreter/values.ts';
import { hooksOf, type Tracer } from '../trace/tracer.ts';
import { type Checks, checkMessage } from './checks.ts';
import type { EvmMessage } from './evm-message.ts';
import type { Machine } from './machine.ts';

/**
 * Runs a message on the machine's state, as a block would, and leaves its changes there.
 *
 * @throws {Inapplicable} before anything is changed, where the message cannot be in such a block.
 */
export async function applyMessage(
  machine: Machine,
  message: EvmMessage,
  checks: Checks,
  tracer?: Tracer,
): Promise<Outcome> {
  checkMessage(machine, message, checks);
  const hooks = tracer === undefined ? {} : { hooks: hooksOf(tracer) };
  const execution = execute({ ...machine, ...hooks }, { ...message, blobHashes: message.blobs?.hashes });
  const { from, to } = message;
  tracer?.start?.({ from, to, coinbase: machine.block.coinbase, state: execution.state });
  return runInTurns(execution, machine);
}
