/** A rollup that keeps one number, to which anybody may add. */
export declare const counter: import('@switchyard/rollup').DefinedRollup<
  {
    readonly start: import('@switchyard/rollup').Fallback<bigint>;
  },
  {
    readonly add: import('@switchyard/rollup').Action<{
      readonly amount: import('@switchyard/rollup').Type<bigint>;
    }>;
  },
  {
    readonly total: import('@switchyard/rollup').Query<
      {},
      {
        readonly total: import('@switchyard/rollup').Type<bigint>;
      }
    >;
  },
  readonly never[]
>;
//# sourceMappingURL=counter.d.ts.map
