import { bool, ifValid, mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '@switchyard/service/lenient';
import type { ExecutionOutcome, Journey } from './journey.ts';
import type { Ask } from './pages.ts';
import type { RollupUrl } from './urls.ts';

/** The EVM node takes many hashes at once; the messenger one. */
const AT_A_TIME = { evm: 32, messenger: 4 } as const;

/** Outcomes by the hash of the submission. */
type Outcomes = ReadonlyMap<string, ExecutionOutcome>;

const NO_OUTCOMES: Outcomes = new Map();

/** Queries a rollup for the outcomes of its newest transactions that have no outcome yet. */
export async function askOutcomes(
  { kind, url }: RollupUrl,
  rollupId: string,
  path: readonly Journey[],
  ask: Ask,
): Promise<Outcomes> {
  const open = path.filter(
    ({ rollup, outcome, refused, sequenced }) =>
      rollup === rollupId &&
      outcome?.end === undefined &&
      refused === undefined &&
      // The EVM node has another hash for it, which is wanted from the beginning.
      (kind === 'evm' || sequenced !== undefined),
  );
  const hashes = open.slice(0, AT_A_TIME[kind]).map(({ hash }) => hash);
  if (hashes.length === 0) return NO_OUTCOMES;
  if (kind === 'evm') {
    const answer = await ask(`${url}/v1/outcomes?submissions=${hashes.join(',')}`);
    return new Map((readValue(answer, evmOutcomes) ?? []).map(({ submission, ...known }) => [submission, known]));
  }
  const answers = await Promise.all(hashes.map((hash) => ask(`${url}/v1/transactions/${hash}`)));
  return new Map(
    answers.flatMap((answer, index) => {
      const hash = hashes[index];
      const end = readValue(answer, messengerEnd);
      return hash === undefined || end === undefined ? [] : [[hash, { hash, end }] as const];
    }),
  );
}

/** Adds outcomes to the journeys without one. */
export function withOutcomes(path: readonly Journey[], outcomes: Outcomes): readonly Journey[] {
  if (outcomes.size === 0) return path;
  return path.map((journey) => {
    const outcome = outcomes.get(journey.hash);
    return outcome === undefined || journey.outcome?.end !== undefined ? journey : { ...journey, outcome };
  });
}

const evmEnd: Read<ExecutionOutcome['end']> = mapped(
  object({ kind: text, success: ifValid(bool), reason: ifValid(text), by: ifValid(text) }),
  ({ kind, success, reason, by }) => {
    if (kind === 'included') return { kind: success === false ? 'reverted' : 'succeeded' };
    return { kind: 'skipped', why: kind === 'replaced' ? `replaced by ${by}` : `refused: ${reason}` };
  },
);
const evmOutcome = mapped(
  object({ submission: text, hash: text, outcome: ifValid(evmEnd) }),
  ({ outcome: end, ...known }) => ({ ...known, end }),
);
const evmOutcomes: Read<readonly (ExecutionOutcome & { readonly submission: string })[]> = (answer) =>
  validItems(evmOutcome)(answer.at('transactions'));

const messengerEnd: Read<ExecutionOutcome['end']> = mapped(
  object({ state: text, reason: ifValid(text) }),
  ({ state, reason }) => {
    if (state === 'executed' || state === 'firm') return { kind: 'succeeded' };
    return state === 'refused' ? { kind: 'skipped', why: `refused: ${reason ?? 'unknown'}` } : undefined;
  },
);

/** Largest number of heights in one response of the relayer. */
const SPAN = 1_000;

const postedBlocks = object({
  blocks: validItems(object({ height: whole, daHeight: whole, at: whole })),
});

/** Adds if the layer has the sequencer blocks of the newest transactions, with one request while that is not known. */
export async function withPlaces(path: readonly Journey[], relayer: string | undefined, ask: Ask) {
  const heights = path.flatMap(({ sequenced, posted }) =>
    sequenced === undefined || posted !== undefined ? [] : [sequenced.height],
  );
  const to = Math.max(...heights);
  const from = Math.max(Math.min(...heights), to - SPAN + 1);
  if (relayer === undefined || heights.length === 0) return path;
  const { blocks } = readValue(await ask(`${relayer}/v1/posted?from=${from}&to=${to}`), postedBlocks) ?? { blocks: [] };
  const places = new Map(blocks.map(({ height, daHeight, at }) => [height, { at, layerHeight: daHeight }]));
  return path.map((journey) => {
    const posted = journey.posted ?? places.get(journey.sequenced?.height ?? 0);
    return posted === undefined ? journey : { ...journey, posted };
  });
}
