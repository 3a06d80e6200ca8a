import { type HttpApiOptions, httpApi, type Input } from '@switchyard/client/http-api';
import { type Clock, errorLine, type Logger } from '@switchyard/service';
import type { LayerPlace } from '../contract/common.ts';

/** Blocks that a relayer gives in one answer. */
const SPAN = 1_000;
/** Requests for one question: lists are of consecutive blocks, and only the same bytes sent over and over are anywhere. */
const MAX_SPANS = 8;
const WITHIN_MS = 1_000;
/** A block that is not posted yet may be a moment later. */
const ABSENT_FRESH_MS = 500;
/** It does not change, unless the network begins again. */
const FRESH_MS = 30_000;
/** After a failure. */
const PAUSE_MS = 2_000;
const MAX_KNOWN = 10_000;

export interface LayerPlacesDeps extends Pick<HttpApiOptions, 'fetch'> {
  /** Endpoint of a relayer; if undefined, nothing is known of a layer. */
  readonly url: string | undefined;
  /** Chain of the sequencer whose blocks are requested. */
  chainId(): string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Places of posted blocks, from a relayer. Without one, and while it does not answer, nothing is known. */
export class LayerPlaces {
  readonly #deps: LayerPlacesDeps;
  readonly #known = new Map<number, { readonly place: LayerPlace | undefined; readonly until: number }>();
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: LayerPlacesDeps) {
    this.#deps = deps;
  }

  /** @param heights Of the sequencer. @returns the places of known posted blocks. */
  async of(heights: readonly (number | null)[]): Promise<ReadonlyMap<number, LayerPlace>> {
    const { url, clock } = this.#deps;
    if (url === undefined) return new Map();
    const given = heights.filter((height) => height !== null);
    const now = clock.now();
    const missing = given.filter((height) => (this.#known.get(height)?.until ?? now) <= now);
    if (now >= this.#pausedUntil) {
      await Promise.all(
        getSpans(missing)
          .slice(0, MAX_SPANS)
          .map((span) => this.#ask(url, span)),
      );
    }
    return new Map(
      given.flatMap((height) => {
        const place = this.#known.get(height)?.place;
        return place === undefined ? [] : [[height, place]];
      }),
    );
  }

  async #ask(url: string, heights: Span): Promise<void> {
    const { fetch, clock, log, chainId } = this.#deps;
    try {
      const answer = await httpApi('relayer', { url, fetch, timeoutMs: WITHIN_MS })(
        `/v1/posted?from=${heights[0]}&to=${heights.at(-1)}`,
      );
      const isOurs = answer.at('sequencerChainId').text() === chainId();
      const places = new Map(isOurs ? answer.at('blocks').list(SPAN).map(getPlace) : []);
      const now = clock.now();
      for (const height of heights) {
        const place = places.get(height);
        this.#known.delete(height);
        this.#known.set(height, { place, until: now + (place === undefined ? ABSENT_FRESH_MS : FRESH_MS) });
      }
      for (const height of this.#known.keys()) {
        if (this.#known.size <= MAX_KNOWN) break;
        this.#known.delete(height);
      }
    } catch (error) {
      this.#pausedUntil = clock.now() + PAUSE_MS;
      log.debug({ error: errorLine(error) }, 'the relayer shows no posted blocks');
    }
  }
}

type Span = readonly [number, ...number[]];

/** Rising, in groups that one answer has room for. */
function getSpans(heights: readonly number[]): Span[] {
  const spans: [number, ...number[]][] = [];
  for (const height of [...new Set(heights)].sort((a, b) => a - b)) {
    const span = spans.at(-1);
    if (span !== undefined && height < span[0] + SPAN) span.push(height);
    else if (height > 0) spans.push([height]);
  }
  return spans;
}

function getPlace(block: Input): [number, LayerPlace] {
  const at = new Date(block.at('at').integer()).toISOString();
  return [block.at('height').integer(), { height: block.at('daHeight').integer(), at }];
}
