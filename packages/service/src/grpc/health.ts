import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { type Health, HealthCheckResponse_ServingStatus as Status } from '../gen/grpc/health/v1/health_pb.ts';
import { Notifier } from '../timing/notify.ts';

/** Statuses that a server reports for its services. The empty name is the server as a whole. */
export class ServingStatus {
  readonly #changed = new Notifier();
  readonly #serving = new Map<string, boolean>();

  /** @param services Full names; all serve at first. */
  constructor(services: readonly string[]) {
    for (const name of ['', ...services]) this.#serving.set(name, true);
  }

  /** Sets one service, or all of them and the server. */
  set(serving: boolean, service?: string): void {
    const names = service === undefined ? [...this.#serving.keys()] : [service];
    for (const name of names) this.#serving.set(name, serving);
    this.#changed.notify();
  }

  of(service: string): boolean | undefined {
    return this.#serving.get(service);
  }

  /** Resolves at the next change; rejects when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return this.#changed.wait(signal);
  }
}

/** The standard health service over `statuses`. */
export function healthService(statuses: ServingStatus): ServiceImpl<typeof Health> {
  return {
    check({ service }) {
      const serving = statuses.of(service);
      if (serving === undefined) throw new ConnectError(`no service ${service}`, Code.NotFound);
      return { status: serving ? Status.SERVING : Status.NOT_SERVING };
    },

    async *watch({ service }, { signal }: HandlerContext) {
      let reported: Status | undefined;
      while (!signal.aborted) {
        const serving = statuses.of(service);
        const now = serving === undefined ? Status.SERVICE_UNKNOWN : serving ? Status.SERVING : Status.NOT_SERVING;
        if (now !== reported) yield { status: now };
        reported = now;
        // It may have changed while the answer was being written.
        if (statuses.of(service) === serving) await statuses.changed(signal);
      }
    },
  };
}
