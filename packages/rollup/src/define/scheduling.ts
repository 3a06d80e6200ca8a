import type { ActionContext, StateWriter } from '@switchyard/machine/browser';
import { type AccountId, Rejected, type TxHash } from '@switchyard/protocol';
import { typeByBlock } from '#rows';
import type { RollupAction } from '../app/definition.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import { cancelScheduled, putScheduled, type ScheduledAt, scheduledId } from '../app/scheduled.ts';
import { decode, encode } from '../schema/codec.ts';
import { type Fields, record, union } from '../schema/shapes.ts';
import type { AnyRollup } from './definition.ts';
import type { Scheduler } from './schedule.ts';
import { BOUNDS } from './steps.ts';
import { mustHaveBegun } from './type-by-block.ts';

type Context = Pick<ActionContext<never>, 'signer' | 'height' | 'time' | 'tx' | 'index'>;

/** Common part of the schedulers of one rollup. */
interface Rules {
  readonly actions: AnyRollup['actions'];
  readonly genesis: RollupGenesis;
  /** Names of actions by their names and on their own. */
  readonly kinds: ReadonlyMap<unknown, string>;
  encode(action: { readonly kind: string }): Uint8Array;
}

/** Bytes of actions that wait, and the schedulers of handlers. */
export function createScheduling({ actions, fields }: Pick<AnyRollup, 'actions' | 'fields'>, genesis: RollupGenesis) {
  const newest = record({ action: union(Object.fromEntries(fields as ReadonlyMap<string, Fields>)) });
  const typeNow = typeByBlock(newest);
  const kinds = new Map<unknown, string>(
    Object.entries(actions).flatMap(([kind, action]) => [[action, kind] as const, [kind, kind] as const]),
  );
  const rules: Rules = { actions, genesis, kinds, encode: (action) => encode(typeNow(), { action: action as never }) };
  return {
    // Each was encoded from a value of the same union.
    decode: (bytes: Uint8Array) => decode(newest, bytes).action as unknown as RollupAction,
    /** For the actions that one action schedules in its state. */
    toScheduler: (state: StateWriter, context: Context): Scheduler => new ActionScheduler(rules, state, context),
  };
}

class ActionScheduler implements Scheduler {
  readonly #rules: Rules;
  readonly #state: StateWriter;
  readonly #context: Context;
  #calls = 0;

  constructor(rules: Rules, state: StateWriter, context: Context) {
    this.#rules = rules;
    this.#state = state;
    this.#context = context;
  }

  schedule(at: ScheduledAt, action: unknown, values: object): TxHash {
    const { actions, kinds, genesis } = this.#rules;
    const { signer, height, time, tx, index } = this.#context;
    const kind = kinds.get(action);
    if (kind === undefined) throw new Error(`${shown(action)} is no action of the definition`);
    mustHaveBegun(`action ${kind}`, actions[kind].from);
    mustBeLater(at, height, time.seconds);
    const scheduled = { ...values, kind };
    const bytes = this.#rules.encode(scheduled);
    actions[kind].check?.(scheduled, { genesis });
    const id = scheduledId(tx, [index, this.#calls]);
    this.#calls += 1;
    putScheduled(this.#state, at, { id, signer, action: bytes, steps: actions[kind].steps ?? BOUNDS.action });
    return id;
  }

  cancel(id: TxHash, account: AccountId): boolean {
    return cancelScheduled(this.#state, id, account);
  }
}

function mustBeLater(at: ScheduledAt, height: bigint, seconds: bigint): void {
  const [field, given, now] = 'block' in at ? ['block', at.block, height] : ['time', at.time, seconds];
  if (typeof given !== 'bigint' || given >> 64n !== 0n)
    throw new Error(`schedule: ${field}: expected a u64, got ${given}`);
  if (given <= BigInt(now)) throw new Rejected('expired', { field, expected: `after ${now}`, got: given });
}

const shown = (action: unknown): string => (typeof action === 'string' ? JSON.stringify(action) : 'the action');
