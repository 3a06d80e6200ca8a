import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { OWN_HANDLERS } from '../embedded/own-handlers.ts';

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number];
type Logic = Extract<CustomOpcode, { readonly logicFunction: unknown }>['logicFunction'];

type Gas = NonNullable<Extract<CustomOpcode, { readonly logicFunction: unknown }>['gasFunction']>;

/** Where a frame stands when an opcode runs: its gas is paid, its operands are still on the stack. */
export type RunState = Parameters<Logic>[0];

/** Runs in place of an opcode; `run` is the opcode itself. */
export type Around = (state: RunState, run: () => void | Promise<void>) => void | Promise<void>;

/** Called for each opcode in the list when its gas has been computed, without a frame when that failed. */
export type GasOf = (code: number, state: RunState | undefined) => void;

/**
 * Opcodes that do what they do, with something around them. Cheaper than the interpreter's `step` events, which copy
 * stack and memory for each opcode, and only what did not run out of gas gets here.
 *
 * @param around By opcode. Those that the rules do not know are left out.
 */
export function aroundOpcodes(
  rules: Common,
  around: ReadonlyMap<number, readonly Around[]>,
  gasOf?: GasOf,
): CustomOpcode[] {
  const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(rules);
  const custom: CustomOpcode[] = [];
  for (const [code, wrappers] of around) {
    const opcode = opcodes.get(code);
    // What wraps them takes any handler.
    const logic = (OWN_HANDLERS.get(code) as Logic | undefined) ?? handlers.get(code);
    if (opcode === undefined || logic === undefined) continue;
    const gas = opcode.dynamicGas ? dynamicGasHandlers.get(code) : undefined;
    custom.push({
      opcode: code,
      opcodeName: opcode.name,
      baseFee: opcode.fee,
      ...(gas === undefined ? {} : { gasFunction: gasOf === undefined ? gas : reporting(code, gas, gasOf) }),
      logicFunction: wrappers.reduceRight<Logic>((inner, wrap) => wrapped(wrap, inner), logic),
    });
  }
  return custom;
}

function wrapped(wrap: Around, inner: Logic): Logic {
  // The interpreter awaits what a custom opcode returns, whether that is a promise or not.
  return ((state, common) => wrap(state, () => inner(state, common))) as Logic;
}

function reporting(code: number, gas: Gas, gasOf: GasOf): Gas {
  return async (state, base, common) => {
    gasOf(code, undefined);
    const cost = await gas(state, base, common);
    gasOf(code, state);
    return cost;
  };
}

export const OPCODE = {
  stop: 0x00,
  keccak256: 0x20,
  balance: 0x31,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  extcodehash: 0x3f,
  prevrandao: 0x44,
  sload: 0x54,
  sstore: 0x55,
  jumpdest: 0x5b,
  log0: 0xa0,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfdestruct: 0xff,
} as const;
