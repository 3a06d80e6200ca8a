/** Kinds of faults, by name. See the example of {@link simulate}. */
export const FAULTS = ['stop', 'kill', 'power', 'cut', 'weather', 'duplicate', 'lie', 'disk', 'clock', 'copy'] as const;
/** One kind of fault. */
export type FaultName = (typeof FAULTS)[number];
