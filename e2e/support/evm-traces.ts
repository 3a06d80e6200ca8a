/*
 * Traces of ours and of anvil in the form in which they can be compared. If the two differ by design, ours follow
 * go-ethereum and Erigon; each difference is named in the code that removes it.
 */

type Json = Readonly<Record<string, unknown>>;

const record = (value: unknown): Json => Object(value);
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** A frame of `callTracer`. */
export function asCalls(frame: unknown): unknown {
  return callFrame(record(frame), true);
}

function callFrame(frame: Json, isTop: boolean): Json {
  // Anvil shows neither address if a contract leaves its balance to itself.
  if (frame.type === 'SELFDESTRUCT' && (frame.to === undefined || frame.to === frame.from)) return { type: frame.type };
  const { gas, gasUsed, error, revertReason, calls, logs, ...rest } = frame;
  return {
    ...rest,
    // For the transaction, anvil shows the gas without the intrinsic cost, and the use of all before it.
    ...(isTop ? {} : { gas, gasUsed }),
    error: errorClass(error),
    calls: list(calls).map((each) => callFrame(error === undefined ? each : withoutLogs(each), false)),
    // A failed call has logged nothing; anvil shows the logs that it would have.
    logs:
      error === undefined
        ? list(logs).map(({ address, topics, data, position }) => ({ address, topics, data, position }))
        : [],
  };
}

function withoutLogs(frame: Json): Json {
  return { ...frame, logs: [], calls: list(frame.calls).map(withoutLogs) };
}

/** Anvil names causes of the same failure apart, and in words of its own. */
function errorClass(error: unknown): string | undefined {
  if (typeof error !== 'string') return undefined;
  const text = error.toLowerCase().replaceAll(/[^a-z]/g, '');
  const [, found] = CLASSES.find(([part]) => text.includes(part)) ?? [];
  return found ?? text;
}

/** If both apply, one looks at the gas first and the other at what a static call may not. */
const HALTED = 'out of gas, or a change in a static call';

const CLASSES: readonly (readonly [part: string, found: string])[] = [
  ['outofgas', HALTED],
  ['oog', HALTED],
  ['codestore', HALTED],
  ['static', HALTED],
  ['writeprotection', HALTED],
  ['revert', 'reverted'],
  ['jump', 'bad jump'],
  ['underflow', 'stack underflow'],
  ['invalidopcode', 'bad instruction'],
  ['opcodenotfound', 'bad instruction'],
  ['badinstruction', 'bad instruction'],
  ['invalidfeopcode', 'bad instruction'],
  ['beginwithxef', 'code that may not be'],
  ['startswithxef', 'code that may not be'],
  ['createcontractstartingwithef', 'code that may not be'],
  ['invalidcode', 'code that may not be'],
  ['collision', 'collision'],
  ['insufficientbalance', 'no balance'],
  ['outoffunds', 'no balance'],
];

/** Accounts of `prestateTracer`. Anvil has no code hashes, and shows accounts and slots that were nothing. */
export function asPrestate(accounts: unknown): unknown {
  const entries = Object.entries(record(accounts)).map(([address, account]) => {
    const { codeHash, storage, ...rest } = record(account);
    const slots = Object.entries(record(storage)).filter(([, value]) => BigInt(String(value)) !== 0n);
    return [address, { ...rest, storage: Object.fromEntries(slots) }] as const;
  });
  return Object.fromEntries(entries.filter(([, account]) => !isNothing(account)));
}

function isNothing({ balance, nonce, code }: Json): boolean {
  return (balance === undefined || balance === '0x0') && nonce === undefined && code === undefined;
}

/** Steps of the default tracer. */
export function asSteps(trace: unknown): unknown {
  const { gas, structLogs, ...rest } = record(trace);
  return { ...rest, structLogs: list(structLogs).filter(isStep).map(step) };
}

/** Anvil runs a STOP if a contract is created from nothing. */
function isStep({ pc, op }: Json): boolean {
  return pc !== 0 || op !== 'STOP';
}

function step({ refund, error, gasCost, memory, returnData, storage, ...rest }: Json): Json {
  const isCreation = rest.op === 'CREATE' || rest.op === 'CREATE2';
  return {
    ...rest,
    failed: error !== undefined,
    // Anvil counts what a creation hands over, and shows of a step that failed what it came to.
    storage: error === undefined ? touched(rest.stack, storage) : undefined,
    gasCost: isCreation || error !== undefined ? undefined : gasCost,
    memory: list(memory),
    returnData: returnData ?? '0x',
  };
}

/** The slot that a step is about. Anvil leaves others out, of steps before it that failed. */
function touched(stack: unknown, storage: unknown): unknown {
  const top = BigInt(String(Array.isArray(stack) ? (stack.at(-1) ?? 0) : 0));
  return record(storage)[`0x${top.toString(16).padStart(64, '0')}`];
}

/** Frames of `trace_transaction`. */
export function asFlat(traces: unknown): unknown {
  return list(traces).map(({ blockHash, error, action, ...rest }) => {
    const { address, refundAddress } = record(action);
    const toItself = rest.type === 'suicide' && address === refundAddress;
    return { ...rest, action: toItself ? undefined : action, error: errorClass(error) };
  });
}

/**
 * Calls of `ots_traceTransaction`, in any order. Anvil's order is its own, it leaves the other kinds of frames out, and
 * shows a value if none is given along.
 */
export function asOts(frames: unknown): unknown {
  const isLeftOut = ({ type }: Json) => ['SELFDESTRUCT', 'CREATE', 'CREATE2'].includes(String(type));
  const shown = list(frames).filter((frame) => !isLeftOut(frame));
  return sorted(shown.map(({ value, ...rest }) => ({ ...rest, value: rest.type === 'CALL' ? value : null })));
}

export function sorted(value: unknown): unknown {
  const entries = Array.isArray(value) ? value : Object.entries(record(value));
  return entries.map((each) => JSON.stringify(each, Object.keys(record(each)).sort())).sort();
}

export function callsPrecompiled(frame: unknown, precompiled: readonly string[]): boolean {
  const { to, calls } = record(frame);
  return precompiled.includes(String(to)) || list(calls).some((each) => callsPrecompiled(each, precompiled));
}

/** Whether a frame failed, or one in it. */
export function isFailure(frame: unknown): boolean {
  const { error, calls } = record(frame);
  return error !== undefined || list(calls).some(isFailure);
}
