import { execute } from '@switchyard/evm-machine/execute';
import type { Hooks } from '@switchyard/evm-machine/hooks';
import type { Execution, MachineOptions } from '@switchyard/evm-machine/interface';
import type { Outcome } from '@switchyard/evm-machine/values';
import { type Tracer, toHooks } from '../trace/tracer.ts';
import { type Checks, checkMessage } from './checks.ts';
import type { EvmMessage } from './evm-message.ts';

/** @throws {Inapplicable} if the message cannot be in such a block. */
export function beginMessage(machine: MachineOptions, message: EvmMessage, checks: Checks, hooks?: Hooks): Execution {
  checkMessage(machine, message, checks);
  return execute({ ...machine, hooks }, message);
}

/**
 * Runs a message on the machine's state, as a block would, and leaves its changes there.
 *
 * @throws {Inapplicable} before anything is changed, if the message cannot be in such a block.
 */
export function applyMessage(machine: MachineOptions, message: EvmMessage, checks: Checks, tracer?: Tracer): Outcome {
  const execution = beginMessage(machine, message, checks, tracer && toHooks(tracer));
  const { from, to } = message;
  tracer?.start?.({ from, to, coinbase: machine.block.coinbase, state: execution.state });
  return execution.run();
}
