import type { World } from '../../cli.ts';
import type { Overview } from '../status/overview.ts';
import { banner } from './banner.ts';
import type { Handover } from './handover.ts';
import { programsFor } from './programs.ts';

/** Prints the banner and the line `ready {json}` once; behind the terminal UI, the line follows when that has closed. */
export class Announcement {
  readonly #world: World;
  readonly #screen: Handover;
  readonly #withBanner: boolean;
  #pending: Overview | undefined;

  constructor(world: World, screen: Handover, { withBanner }: { readonly withBanner: boolean }) {
    this.#world = world;
    this.#screen = screen;
    this.#withBanner = withBanner;
  }

  show(overview: Overview): void {
    const { env, directory, stdout } = this.#world;
    if (this.#screen.isPlain) {
      if (this.#withBanner) stdout.write(`${banner(overview, programsFor(env, directory)).join('\n')}\n`);
      this.#printLine(overview);
    } else this.#pending = overview;
    this.#screen.ready(overview);
  }

  /** To be called when the terminal UI is closed. */
  flush(): void {
    if (this.#pending !== undefined) this.#printLine(this.#pending);
    this.#pending = undefined;
  }

  #printLine(overview: Overview): void {
    this.#world.stdout.write(`ready ${JSON.stringify(overview)}\n`);
  }
}
