import type { Around } from './opcodes.ts';
import type { FrameEnd, FrameStart, Step, Tracer, TraceStart } from './tracer.ts';

/**
 * Passes everything on to one tracer after another. An interpreter is made for one tracer, which takes longer than most
 * transactions do; with this one it follows a whole block.
 */
export class Relay implements Tracer {
  readonly opcodes: ReadonlyMap<number, Around>;
  readonly enter: ((frame: FrameStart) => void) | undefined;
  readonly exit: ((end: FrameEnd) => void) | undefined;
  readonly step: ((step: Step) => void) | undefined;
  /** Of the same kind as the first. */
  current: Tracer;

  constructor(first: Tracer) {
    this.current = first;
    this.opcodes = new Map(
      [...(first.opcodes?.keys() ?? [])].map((code) => [
        code,
        (frame, run) => {
          const around = this.current.opcodes?.get(code);
          return around === undefined ? run() : around(frame, run);
        },
      ]),
    );
    // What no tracer of this kind looks at is not even looked for.
    this.enter = first.enter === undefined ? undefined : (frame) => this.current.enter?.(frame);
    this.exit = first.exit === undefined ? undefined : (end) => this.current.exit?.(end);
    this.step = first.step === undefined ? undefined : (step) => this.current.step?.(step);
  }

  start(start: TraceStart): void {
    this.current.start?.(start);
  }

  result(): never {
    throw new Error('a relay has no result of its own');
  }
}
