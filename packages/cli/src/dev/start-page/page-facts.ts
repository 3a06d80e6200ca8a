import { askHttp, BEFORE_FIRST_POLL, poll } from '../../tui/poll.ts';
import { urlsOf } from '../../tui/source.ts';
import type { Programs } from '../run/banner.ts';
import type { RunningInstance } from '../run/running.ts';
import type { Ask } from '../status/heights.ts';
import { describeNetwork, type NetworkDescriptor } from './descriptor.ts';
import { type Flow, flowOf } from './flow.ts';
import { withHealth } from './health.ts';
import { type Step, stepsFor } from './steps.ts';

/** All that the start page shows. */
export interface PageFacts extends NetworkDescriptor {
  readonly flow: Flow;
  readonly steps: readonly Step[];
}

/** Asks the services when it is called, and never else; transactions are followed from one call to the next. */
export function createPageFacts(running: RunningInstance, programs: Programs): () => Promise<PageFacts> {
  let polled = BEFORE_FIRST_POLL;
  return async () => {
    const ask = onceEach(askHttp);
    const [network, now] = await Promise.all([
      describeNetwork(running, ask),
      poll(urlsOf(running), polled, ask, () => performance.now()),
    ]);
    polled = now;
    const services = await withHealth(network.services, running.services);
    return { ...network, services, flow: flowOf(now.facts), steps: stepsFor(network, programs) };
  };
}

/** Asks each URL once, however many want its answer. */
function onceEach(ask: Ask): Ask {
  const answers = new Map<string, Promise<unknown>>();
  return (url) => {
    const known = answers.get(url) ?? ask(url);
    answers.set(url, known);
    return known;
  };
}
