/** Kinds of faults, by name. */
export const FAULTS = ['stop', 'kill', 'power', 'cut', 'weather', 'duplicate', 'lie', 'disk', 'clock', 'copy'] as const;
export type FaultName = (typeof FAULTS)[number];
