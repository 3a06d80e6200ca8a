import type { Cli } from '../../cli.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { ingressControllerCommand } from './ingress-controller.ts';
import { loadImageCommand } from './load-image.ts';

/** `switchyard cluster ...`: a Kubernetes cluster for rollups. */
export function clusterCommands(cli: Cli) {
  return [createCommand(cli), ingressControllerCommand(cli), loadImageCommand(cli), deleteCommand(cli)];
}
