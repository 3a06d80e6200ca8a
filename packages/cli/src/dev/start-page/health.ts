import type { PlannedService } from '../services/planned.ts';
import type { ServiceOverview } from '../status/overview.ts';
import { probe } from '../supervisor/probe.ts';

/**
 * Services as they answer now. The supervisor asks until one is ready and then follows its process; one that runs and no
 * longer answers, or reports that it cannot work, is `unhealthy`.
 */
export function withHealth(
  services: readonly ServiceOverview[],
  planned: readonly Pick<PlannedService, 'name' | 'ready'>[],
): Promise<ServiceOverview[]> {
  return Promise.all(
    services.map(async (service) => {
      const ready = planned.find(({ name }) => name === service.name)?.ready;
      if (service.state !== 'ready' || service.pid === undefined) return service;
      if (ready === undefined || ready.kind === 'log') return service;
      const answer = await probe(ready, service.pid);
      return answer.ready ? service : { ...service, state: 'unhealthy', reason: answer.reason };
    }),
  );
}
