import { bool, InvalidData, type Read, shown } from '@switchyard/service/input';
import { getObject, index, text } from '../../json/params.ts';
import { blockOverrides, stateOverrides } from '../../simulate/call-request.ts';
import type { EvmMessage } from '../../simulate/evm-message.ts';
import type { Budget } from '../../trace/budget.ts';
import { CallTracer } from '../../trace/call-tracer.ts';
import { FlatTracer } from '../../trace/flat-tracer.ts';
import { PrestateTracer } from '../../trace/prestate-tracer.ts';
import { FourByteTracer, NoopTracer } from '../../trace/small-tracers.ts';
import { StructLogger } from '../../trace/struct-logger.ts';
import type { Tracer } from '../../trace/tracer.ts';

/** Longest that a caller may ask for. */
const MAX_TIMEOUT_MS = 60_000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
]);

/** A duration in Go's notation: `500ms`, `1.5s`, `1m`. */
const duration: Read<number> = (input) => {
  const { value } = input;
  const [, number, unit = ''] =
    typeof value === 'string' ? (/^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m)$/.exec(value) ?? []) : [];
  const ms = Number(number) * (UNITS.get(unit) ?? Number.NaN);
  if (Number.isNaN(ms) || ms === 0) return input.fail('a time such as 5s or 500ms');
  return Math.min(ms, MAX_TIMEOUT_MS);
};

/** Options of all tracers; each tracer looks at its own, and a script gets them as they came. */
const tracerConfig: Read<ReturnType<typeof configOfTracers> & { readonly json: string }> = (input) => ({
  ...configOfTracers(input),
  json: JSON.stringify(input.value),
});
const configOfTracers = getObject({
  onlyTopCall: bool,
  withLog: bool,
  diffMode: bool,
  disableCode: bool,
  disableStorage: bool,
});

const common = {
  tracer: text(200_000),
  tracerConfig,
  timeout: duration,
  enableMemory: bool,
  disableMemory: bool,
  disableStack: bool,
  disableStorage: bool,
  enableReturnData: bool,
  disableReturnData: bool,
  limit: index,
};

export const traceOptions = getObject(common);
export const traceCallOptions = getObject({ ...common, stateOverrides, blockOverrides });

export type Options = ReturnType<typeof traceOptions>;

const TRACERS: Readonly<Record<string, (options: Options, message: EvmMessage, budget: Budget) => Tracer>> = {
  callTracer: ({ tracerConfig: config }, { gasLimit }, budget) => new CallTracer(gasLimit, config, budget),
  prestateTracer: ({ tracerConfig: config }, _, budget) => new PrestateTracer(config, budget),
  flatCallTracer: (_, __, budget) => new FlatTracer(budget),
  '4byteTracer': (_, __, budget) => new FourByteTracer(budget),
  noopTracer: () => new NoopTracer(),
};

/** The text of a tracer in JavaScript; undefined if a name is given, or none. */
export function findScript({ tracer = '' }: Options): string | undefined {
  return /^\w*$/.test(tracer) ? undefined : tracer;
}

/**
 * Makes the tracers for one request; together they hold no more than one answer may.
 *
 * @throws {InvalidData} for a name that no tracer has.
 */
export function getTracers(options: Options, budget: Budget): (message: EvmMessage) => Tracer {
  const { tracer } = options;
  if (tracer === undefined || tracer === '') return () => new StructLogger(options, budget);
  const make = Object.hasOwn(TRACERS, tracer) ? TRACERS[tracer] : undefined;
  if (make === undefined)
    throw new InvalidData(`tracer: expected one of ${Object.keys(TRACERS).join(', ')}, got ${shown(tracer)}`);
  return (message) => make(options, message, budget);
}
