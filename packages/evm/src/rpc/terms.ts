import type { Requester } from '@switchyard/service/json-rpc';
import type { CallTerms } from '../simulate/simulator.ts';

/** Runs what a client asks for in the turns of its address. */
export const termsOf = (from: Requester, timeoutMs?: number): CallTerms => ({ turn: () => from.turn(), timeoutMs });
