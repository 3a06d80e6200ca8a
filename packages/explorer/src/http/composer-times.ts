import { type HttpApiOptions, httpApi, type Input } from '@switchyard/client/http-api';
import { type Clock, errorLine, type Logger } from '@switchyard/service';

/** Times of a submission's steps on its way to a block, in milliseconds since the Unix epoch. */
export interface SubmissionTimes {
  readonly queuedAt: number;
  readonly bundledAt: number | undefined;
  readonly sequencedAt: number | undefined;
}

/** The composer keeps no more. */
const NEWEST = 64;
const FRESH_MS = 500;
const WITHIN_MS = 1_000;

interface ComposerDeps extends Pick<HttpApiOptions, 'fetch'> {
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The newest submissions of a composer. It keeps a sample of them, so most that are old or came under load have none. */
export class ComposerTimes {
  readonly #deps: ComposerDeps;
  #known: ReadonlyMap<string, SubmissionTimes> = new Map();
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ComposerDeps) {
    this.#deps = deps;
  }

  async of(rollup: string, hash: string): Promise<SubmissionTimes | undefined> {
    const { url, fetch, clock, log } = this.#deps;
    if (url === undefined) return undefined;
    if (clock.now() - this.#askedAt >= FRESH_MS) {
      this.#askedAt = clock.now();
      try {
        const ask = httpApi('composer', { url, fetch, timeoutMs: WITHIN_MS });
        const answer = await ask(`/v1/recent?limit=${NEWEST}`);
        this.#known = new Map(answer.at('transactions').list(NEWEST).map(getTimes));
      } catch (error) {
        log.debug({ error: errorLine(error) }, 'the composer shows no newest submissions');
      }
    }
    return this.#known.get(`${rollup} ${hash}`);
  }
}

function getTimes(item: Input): [string, SubmissionTimes] {
  const at = (name: string) => item.at(name).optional((each) => each.integer());
  return [
    `${item.at('rollup').text()} ${item.at('hash').text()}`,
    { queuedAt: item.at('queuedAt').integer(), bundledAt: at('bundledAt'), sequencedAt: at('sequencedAt') },
  ];
}
