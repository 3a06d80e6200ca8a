import { NodeFault } from '@switchyard/machine/browser';
import { type Facts, Rejected } from '@switchyard/protocol';
import { findExitCode } from '@switchyard/service/browser';
import { cutText } from './cut-text.ts';

/**
 * Messages of the engine for errors that depend on the memory of a node and on the depth of the calls around a handler. Its other
 * errors follow from the values alone.
 */
const OF_THE_MACHINE = new Set(['Maximum call stack size exceeded', 'Array buffer allocation failed']);
/** Causes of causes that are looked at. */
const MOST_CAUSES = 16;
const MAX_MESSAGE_LENGTH = 200;

/** Whether other nodes with the same state and input may not have this error. */
export function mayDiffer(error: unknown): boolean {
  if (findExitCode(error) !== undefined) return true;
  let each = error;
  for (let depth = 0; depth < MOST_CAUSES && each instanceof Error; depth += 1) {
    // Calls of the system fail by the machine that they are made on.
    if (each instanceof NodeFault || 'syscall' in each) return true;
    if (each.name === 'RangeError' && OF_THE_MACHINE.has(each.message)) return true;
    each = each.cause;
  }
  return false;
}

/** The error as a refusal: a bug in a handler is one, if each node has it. @throws the error itself, if it may differ. */
export function asRefusal(error: unknown, facts: Facts = {}): Rejected {
  if (error instanceof Rejected) return error;
  if (mayDiffer(error)) throw error;
  const [line = ''] = String(error).split('\n');
  return new Rejected('bug', { ...facts, error: cutText(line, MAX_MESSAGE_LENGTH) }, { cause: error });
}

/** An async function passes for a function that returns nothing; its rest would run after the block. */
export function mustBeOver<T>(returned: T): T {
  if (returned instanceof Promise) throw new NodeFault('it returned a promise, but a handler is synchronous');
  return returned;
}
