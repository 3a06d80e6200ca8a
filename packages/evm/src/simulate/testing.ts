import type { MachineOptions, Watch } from '@switchyard/evm-machine/interface';
import type { StateWriter } from '@switchyard/evm-machine/state';
import * as machine from '@switchyard/evm-machine/testing';
import type { EvmMessage } from './evm-message.ts';

/** On the rules of Cancun. */
export async function machineOn(state: StateWriter, watch?: Watch): Promise<MachineOptions> {
  return { ...(await machine.machineOn(state)), watch };
}

export function makeMessage(message: Partial<EvmMessage>): EvmMessage {
  const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerBlobGas: 0n };
  return { ...machine.makeMessage({}), ...fees, authorizations: [], ...message };
}
