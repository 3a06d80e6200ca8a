/**
 * Code in the interpreter of a script, in front of it: the helpers that go-ethereum gives to tracers, and the objects that
 * its functions get. Called with the functions of the host, in which bytes and numbers of 256 bits are hexadecimal texts.
 */
export const PRELUDE = `(function (host) {
  'use strict';
  const bytesOf = (value) => {
    if (typeof value !== 'string') return Uint8Array.from(value);
    const digits = value.replace(/^0x/i, '');
    const even = digits.length % 2 === 0 ? digits : '0' + digits;
    return Uint8Array.from({ length: even.length / 2 }, (_, at) => parseInt(even.slice(2 * at, 2 * at + 2), 16));
  };
  const hexOf = (value) => {
    let text = '0x';
    for (const byte of bytesOf(value)) text += byte.toString(16).padStart(2, '0');
    return text;
  };
  const sized = (value, length) => {
    const bytes = bytesOf(value).slice(-length);
    const all = new Uint8Array(length);
    all.set(bytes, length - bytes.length);
    return all;
  };
  const address = (value) => hexOf(sized(value, 20));

  const native = (value) => (value instanceof Big ? value.value : BigInt(value));
  class Big {
    constructor(value) { this.value = value; }
    toString(radix) { return this.value.toString(radix || 10); }
    toJSON() { return this.toString(); }
    valueOf() { return Number(this.value); }
    toJSNumber() { return Number(this.value); }
    not() { return new Big(~this.value); }
    negate() { return new Big(-this.value); }
    abs() { return new Big(this.value < 0n ? -this.value : this.value); }
    isZero() { return this.value === 0n; }
    isNegative() { return this.value < 0n; }
    isPositive() { return this.value > 0n; }
    isEven() { return this.value % 2n === 0n; }
    isOdd() { return this.value % 2n !== 0n; }
    compare(other) { const right = native(other); return this.value < right ? -1 : this.value > right ? 1 : 0; }
  }
  const operations = {
    add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b, divide: (a, b) => a / b,
    mod: (a, b) => a % b, pow: (a, b) => a ** b, and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
    shiftLeft: (a, b) => a << b, shiftRight: (a, b) => a >> b,
  };
  const comparisons = {
    equals: (a, b) => a === b, notEquals: (a, b) => a !== b, lesser: (a, b) => a < b, lesserOrEquals: (a, b) => a <= b,
    greater: (a, b) => a > b, greaterOrEquals: (a, b) => a >= b,
  };
  for (const name in operations)
    Big.prototype[name] = function (other) { return new Big(operations[name](this.value, native(other))); };
  for (const name in comparisons)
    Big.prototype[name] = function (other) { return comparisons[name](this.value, native(other)); };
  const same = {
    plus: 'add', minus: 'subtract', times: 'multiply', over: 'divide', remainder: 'mod', eq: 'equals', neq: 'notEquals',
    lt: 'lesser', leq: 'lesserOrEquals', gt: 'greater', geq: 'greaterOrEquals', compareTo: 'compare',
  };
  for (const name in same) Big.prototype[name] = Big.prototype[same[name]];
  const bigInt = (value = 0, radix = 10) =>
    new Big(typeof value === 'string' && radix === 16 ? BigInt('0x' + value.replace(/^0x/i, '')) : native(value));
  Object.assign(bigInt, { zero: bigInt(0), one: bigInt(1), minusOne: bigInt(-1) });

  Object.assign(globalThis, {
    bigInt,
    toHex: hexOf,
    toWord: (value) => sized(value, 32),
    toAddress: (value) => sized(value, 20),
    toContract: (from, nonce) => bytesOf(host.created(address(from), nonce)),
    toContract2: (from, salt, code) => bytesOf(host.created2(address(from), hexOf(sized(salt, 32)), hexOf(code))),
    isPrecompiled: (value) => host.isPrecompiled(address(value)),
    slice(value, start, end) {
      const bytes = bytesOf(value);
      if (start < 0 || start > end || end > bytes.length) throw new RangeError('slice is out of bounds');
      return bytes.slice(start, end);
    },
  });

  let now = {};
  const bytes = (name) => () => bytesOf(now[name]);
  const log = {
    op: { toNumber: () => now.op, toString: () => host.opcodeName(now.op), isPush: () => now.op >= 0x5f && now.op <= 0x7f },
    stack: { length: () => host.stackSize(), peek: (place) => bigInt(host.peek(place)) },
    memory: {
      length: () => host.memorySize(),
      slice: (from, to) => new Uint8Array(host.memory(from, to)),
      getUint: (from) => bigInt(hexOf(new Uint8Array(host.word(from)))),
    },
    contract: {
      getCaller: () => bytesOf(host.caller()), getAddress: () => bytesOf(host.address()),
      getValue: () => bigInt(host.value()), getInput: () => bytesOf(host.input()),
    },
    getPC: () => now.pc, getGas: () => now.gas, getCost: () => now.cost, getDepth: () => now.depth,
    getRefund: () => now.refund, getError: () => now.error,
  };
  const db = {
    getBalance: (of) => bigInt(host.balance(address(of))), getNonce: (of) => host.nonce(address(of)),
    getCode: (of) => bytesOf(host.code(address(of))), exists: (of) => host.exists(address(of)),
    getState: (of, slot) => bytesOf(host.storage(address(of), hexOf(sized(slot, 32)))),
  };
  const frame = {
    getType: () => now.type, getFrom: bytes('from'), getTo: bytes('to'), getInput: bytes('input'), getGas: () => now.gas,
    getValue: () => (now.value === undefined ? undefined : bigInt(now.value)),
  };
  const frameResult = { getGasUsed: () => now.gasUsed, getOutput: bytes('output'), getError: () => now.error };

  return (tracer, config) => {
    const has = (name) => typeof tracer[name] === 'function';
    for (const name of ['result', 'fault'])
      if (!has(name)) throw new TypeError('trace object must expose a function ' + name + '()');
    if (has('enter') !== has('exit'))
      throw new TypeError('trace object must expose either both or none of enter() and exit()');
    if (has('setup')) tracer.setup(config);
    return {
      steps: has('step'),
      frames: has('enter'),
      step(op, pc, gas, cost, depth, refund, error) {
        now = { op, pc, gas, cost, depth, refund, error };
        tracer.step(log, db);
      },
      fault(error) {
        now.error = error;
        tracer.fault(log, db);
      },
      enter(given) {
        now = JSON.parse(given);
        tracer.enter(frame);
      },
      exit(given) {
        now = JSON.parse(given);
        tracer.exit(frameResult);
      },
      result(given) {
        const ctx = JSON.parse(given);
        for (const name of ['from', 'to', 'input', 'output', 'coinbase', 'blockHash', 'txHash'])
          if (ctx[name] !== undefined) ctx[name] = bytesOf(ctx[name]);
        for (const name of ['value', 'gasPrice']) ctx[name] = bigInt(ctx[name]);
        return JSON.stringify(tracer.result(ctx, db));
      },
    };
  };
})`;
