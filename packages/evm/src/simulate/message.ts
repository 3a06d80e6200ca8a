import { execute } from '@switchyard/evm-machine/execute';
import type { Hooks } from '@switchyard/evm-machine/hooks';
import type { Execution } from '@switchyard/evm-machine/interface';
import type { Outcome } from '@switchyard/evm-machine/values';
import { hooksOf, type Tracer } from '../trace/tracer.ts';
import { type Checks, checkMessage } from './checks.ts';
import type { EvmMessage } from './evm-message.ts';
import type { Machine } from './machine.ts';

/** @throws {Inapplicable} if the message cannot be in such a block. */
export function beginMessage(machine: Machine, message: EvmMessage, checks: Checks, hooks?: Hooks): Execution {
  checkMessage(machine, message, checks);
  return execute({ ...machine, ...(hooks && { hooks }) }, { ...message, blobHashes: message.blobs?.hashes });
}

/**
 * Runs a message on the machine's state, as a block would, and leaves its changes there.
 *
 * @throws {Inapplicable} before anything is changed, if the message cannot be in such a block.
 */
export function applyMessage(machine: Machine, message: EvmMessage, checks: Checks, tracer?: Tracer): Outcome {
  const execution = beginMessage(machine, message, checks, tracer && hooksOf(tracer));
  const { from, to } = message;
  tracer?.start?.({ from, to, coinbase: machine.block.coinbase, state: execution.state });
  return execution.run(machine.watch);
}
