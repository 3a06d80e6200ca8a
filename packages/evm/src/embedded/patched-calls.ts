import { type EVM, type EVMResult, type ExecResult, Message } from '@ethereumjs/evm';
import { type Internals, internalsOf } from './internals.ts';

/*
 * What EthereumJS does around a frame asks for the rules of all forks, and reads and writes two accounts that stay as
 * they are when a call moves nothing. Here are such calls for Cancun; those that move value, and creations, are the
 * library's.
 */

/** @param evm With a `PatchedJournal`. */
export function makeCallsLight(evm: EVM): void {
  const machine = internalsOf(evm);
  const library = machine.runCall.bind(machine);
  machine.runCall = (options) => {
    if (options.message !== undefined) {
      const { message } = options;
      const isInside = message.depth > 0 && message.to !== undefined;
      return isInside && (message.delegatecall || message.value === 0n) ? call(machine, message) : library(options);
    }
    const { caller, to, value = 0n, block, gasLimit, skipNonceIncrement } = options;
    const isPlain =
      caller !== undefined && block !== undefined && gasLimit !== undefined && skipNonceIncrement === true;
    const isLight = isPlain && to !== undefined && value === 0n && options.code === undefined && !options.delegatecall;
    if (!isLight || options.skipBalance === true) return library(options);
    machine._block = block;
    machine._tx = { gasPrice: options.gasPrice ?? 0n, origin: options.origin ?? caller };
    const inside = {
      caller,
      to,
      gasLimit,
      data: options.data,
      depth: options.depth,
      isStatic: options.isStatic,
      selfdestruct: options.selfdestruct ?? new Map(),
      createdAddresses: options.createdAddresses ?? new Set(),
      blobVersionedHashes: options.blobVersionedHashes,
    };
    // The library's types want fields left out where its constructor takes them as undefined.
    return call(machine, new Message(inside as ConstructorParameters<typeof Message>[0]));
  };
}

async function call(machine: Internals, message: Message): Promise<EVMResult> {
  const { events, journal, transientStorage } = machine;
  if (events.listenerCount('beforeMessage') > 0) await machine._emit('beforeMessage', message);
  await journal.checkpoint();
  transientStorage.checkpoint();
  if (!message.delegatecall) {
    // EIP-161: also a call of nothing removes an account that is empty.
    journal.touch(message.caller);
    journal.touch(message.to as Message['caller']); // a call has one
  }
  await machine._loadCode(message);
  const execResult = await run(machine, message);
  if (execResult.exceptionError === undefined) {
    await journal.commit();
    transientStorage.commit();
  } else {
    await journal.revert();
    transientStorage.revert();
  }
  const result = { execResult };
  if (events.listenerCount('afterMessage') > 0) await machine._emit('afterMessage', result);
  return result;
}

async function run(machine: Internals, message: Message): Promise<ExecResult> {
  const { code, gasRefund, data, gasLimit } = message;
  if (typeof code !== 'function' && (code === undefined || code.length === 0)) {
    return { gasRefund, executionGasUsed: 0n, returnValue: new Uint8Array() };
  }
  let result: ExecResult;
  if (message.isCompiled) {
    result = await machine.runPrecompile(code, data, gasLimit);
    result.gasRefund = gasRefund;
  } else result = await machine.runInterpreter(message);
  if (message.depth === 0) machine.postMessageCleanup();
  return result;
}
