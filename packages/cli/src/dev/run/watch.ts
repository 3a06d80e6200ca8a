import { watch } from 'chokidar';
import type { PlannedService } from '../services/planned.ts';

/** A build writes many files; only when it has been quiet for this long is it taken to be over. */
const QUIET_MS = 300;

/** Never sources of a service, and far too many files. */
const IGNORED = /(^|\/)(node_modules|\.git)(\/|$)/;

export type Watch = Awaited<ReturnType<typeof watchServices>>;

/**
 * Watches the files and directories that services name in `watch`.
 *
 * @param onChange Called once per burst of changes, with one of the paths.
 */
export function watchServices(
  services: readonly Pick<PlannedService, 'name' | 'watch'>[],
  onChange: (service: string, path: string) => void,
  { quietMs = QUIET_MS } = {},
) {
  const watched = services.filter((service) => service.watch.length > 0);
  const watchers = watched.map(({ name, watch: paths }) => {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch([...paths], { ignoreInitial: true, ignored: (path) => IGNORED.test(path) });
    const ready = new Promise<void>((resolve) => watcher.once('ready', resolve));
    watcher.on('all', (_, path) => {
      clearTimeout(timer);
      timer = setTimeout(() => onChange(name, path), quietMs);
    });
    // Such as too many files for the system: the service runs on, and is not restarted any more.
    watcher.on('error', () => {});
    const close = () => {
      clearTimeout(timer);
      return watcher.close();
    };
    return { ready, close };
  });
  return Promise.all(watchers.map(({ ready }) => ready)).then(() => ({
    close: async () => {
      await Promise.all(watchers.map((watcher) => watcher.close()));
    },
  }));
}
